import type { Handler } from '../../http/exchange.ts';
import { CodeField, EmailField, Form, focusedField } from '../form.tsx';
import {
  checkCode,
  checkEmail,
  emailOfCode,
  type FormError,
  pendingEmail,
  tooManyAttempts,
  wrongCode,
} from '../form-errors.ts';
import { Layout } from '../layout.tsx';
import { sendSignUpCode } from '../outbox.ts';
import type { PageContext } from '../page-context.ts';
import {
  completeSignIn,
  createPageHandler,
  type FormResult,
  type HostedLoginDeps,
  redirectToPage,
  showPage,
} from '../page-handler.ts';

/**
 * Returns the handler of `/confirm`, the page for the code of the sign-up email. In the browser
 * that signed up, the code also signs the visitor in. In any other browser the visitor must sign in with the password.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
 */
export function createConfirm(deps: HostedLoginDeps): Handler {
  return createPageHandler(deps, {
    show: (context, error) => <ConfirmPage context={context} error={error} notice={null} />,
    submit(context) {
      const problem = pendingEmail(context, 'signUp') === null ? checkEmail(context) : null;
      if (problem) return problem;
      return context.field('intent') === 'resend' ? resendCode(context, deps) : confirm(context, deps);
    },
  });
}

function confirm(context: PageContext, deps: HostedLoginDeps): FormResult {
  const problem = checkCode(context);
  if (problem) return problem;
  const email = emailOfCode(context, 'signUp');
  if (!deps.limits.code.consume(`signUp:${email}`)) return tooManyAttempts(context);
  const user = deps.users.redeemCode(email, 'signUp', context.field('code'));
  if (!user) return wrongCode(context);
  if (pendingEmail(context, 'signUp') !== null) return completeSignIn(context, user, deps);
  context.saveState({ notice: 'emailConfirmed' });
  return redirectToPage(context, '/login');
}

function resendCode(context: PageContext, { users, outbox, limits }: HostedLoginDeps): FormResult {
  const email = emailOfCode(context, 'signUp');
  if (!limits.resend.consume(email)) return tooManyAttempts(context);
  const user = users.find(email);
  // The response does not reveal whether an unconfirmed account exists.
  if (user && !user.confirmed) sendSignUpCode(outbox, email, users.createCode(user, 'signUp'), context);
  return showPage(context, <ConfirmPage context={context} error={null} notice={context.t('resent')} />);
}

type ConfirmPageProps = { context: PageContext; error: FormError | null; notice: string | null };

function ConfirmPage({ context, error, notice }: ConfirmPageProps) {
  const { t, link } = context;
  const email = pendingEmail(context, 'signUp');
  const focus = focusedField(context, error, email === null ? ['email', 'code'] : ['code']);
  return (
    <Layout context={context} title={t('confirmTitle')}>
      <p>{email === null ? t('codeUnknownEmail') : t('codeSent', { email })}</p>
      <Form
        context={context}
        action="/confirm"
        error={error}
        notice={notice}
        submitLabel={t('confirmSubmit')}
        secondary={
          <button type="submit" name="intent" value="resend" className="secondary">
            {t('resend')}
          </button>
        }
      >
        {email === null && <EmailField context={context} error={error} focus={focus} />}
        <CodeField context={context} error={error} focus={focus} />
      </Form>
      <p className="switch">
        <a href={link('/login')}>{t('backToSignIn')}</a>
      </p>
    </Layout>
  );
}
