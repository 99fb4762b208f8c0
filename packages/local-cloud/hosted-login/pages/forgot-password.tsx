import type { Handler } from '../../http/exchange.ts';
import { normalizeEmail } from '../../user-pool/users.ts';
import { CodeField, EmailField, Form, focusedField, NewPasswordField } from '../form.tsx';
import {
  checkCode,
  checkEmail,
  checkNewPassword,
  emailOfCode,
  type FormError,
  pendingEmail,
  tooManyAttempts,
  wrongCode,
} from '../form-errors.ts';
import { Layout } from '../layout.tsx';
import { sendResetCode } from '../outbox.ts';
import type { PageContext } from '../page-context.ts';
import { completeSignIn, createPageHandler, type HostedLoginDeps, redirectToPage } from '../page-handler.ts';

/**
 * Returns the handler of `/forgotPassword`, which sends a code to the address of an account. The response is the
 * same when the address has no account.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
 */
export function createForgotPassword(deps: HostedLoginDeps): Handler {
  const { users, outbox, limits } = deps;
  return createPageHandler(deps, {
    show: (context, error) => <ForgotPasswordPage context={context} error={error} />,
    submit(context) {
      const problem = checkEmail(context);
      if (problem) return problem;
      const email = normalizeEmail(context.field('email'));
      if (!limits.resend.consume(email)) return tooManyAttempts(context);
      const user = users.find(email);
      if (user) sendResetCode(outbox, email, users.createCode(user, 'reset'), context);
      context.saveState({ pendingCode: { email, purpose: 'reset' } });
      return redirectToPage(context, '/confirmforgotPassword');
    },
  });
}

/**
 * Returns the handler of `/confirmforgotPassword`, the page for the code and a new password. The code also
 * confirms the address, because it was sent there.
 */
export function createConfirmForgotPassword(deps: HostedLoginDeps): Handler {
  const { users, limits } = deps;
  return createPageHandler(deps, {
    show: (context, error) => <ConfirmForgotPasswordPage context={context} error={error} />,
    async submit(context) {
      const pending = pendingEmail(context, 'reset');
      // The new password is checked before the code is consumed, so that the code stays valid if the password is rejected.
      const problem =
        (pending === null ? checkEmail(context) : null) ?? checkCode(context) ?? checkNewPassword(context);
      if (problem) return problem;
      const email = emailOfCode(context, 'reset');
      if (!limits.code.consume(`reset:${email}`)) return tooManyAttempts(context);
      const user = users.redeemCode(email, 'reset', context.field('code'));
      if (!user) return wrongCode(context);
      await users.setPassword(user, context.field('password'));
      limits.signIn.reset(email);
      if (pending !== null) return completeSignIn(context, user, deps);
      context.saveState({ notice: 'passwordChanged' });
      return redirectToPage(context, '/login');
    },
  });
}

type PageProps = { context: PageContext; error: FormError | null };

function ForgotPasswordPage({ context, error }: PageProps) {
  const { t, link } = context;
  const focus = focusedField(context, error, ['email']);
  return (
    <Layout context={context} title={t('forgotTitle')}>
      <p>{t('forgotIntro')}</p>
      <Form context={context} action="/forgotPassword" error={error} submitLabel={t('forgotSubmit')}>
        <EmailField context={context} error={error} focus={focus} />
      </Form>
      <p className="switch">
        <a href={link('/login')}>{t('backToSignIn')}</a>
      </p>
    </Layout>
  );
}

function ConfirmForgotPasswordPage({ context, error }: PageProps) {
  const { t, link } = context;
  const email = pendingEmail(context, 'reset');
  const focus = focusedField(
    context,
    error,
    email === null ? ['email', 'code', 'password'] : ['code', 'password'],
  );
  return (
    <Layout context={context} title={t('resetTitle')}>
      <p>{email === null ? t('codeUnknownEmail') : t('codeSentIfAccount', { email })}</p>
      <Form context={context} action="/confirmforgotPassword" error={error} submitLabel={t('resetSubmit')}>
        {email === null && <EmailField context={context} error={error} focus={focus} />}
        <CodeField context={context} error={error} focus={focus} />
        <NewPasswordField context={context} error={error} focus={focus} label="newPassword" />
      </Form>
      <p className="switch">
        <a href={link('/forgotPassword')}>{t('resend')}</a>
      </p>
    </Layout>
  );
}
