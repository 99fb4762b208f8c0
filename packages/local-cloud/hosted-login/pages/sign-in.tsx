import type { CloudResponse, Handler } from '../../http/exchange.ts';
import { normalizeEmail, type User } from '../../user-pool/users.ts';
import { CurrentPasswordField, EmailField, Form, focusedField } from '../form.tsx';
import { checkCurrentPassword, checkEmail, type FormError, tooManyAttempts } from '../form-errors.ts';
import { Layout } from '../layout.tsx';
import { sendSignUpCode } from '../outbox.ts';
import type { PageContext } from '../page-context.ts';
import { completeSignIn, createPageHandler, type HostedLoginDeps, redirectToPage } from '../page-handler.ts';

/**
 * Returns the handler of `/login`, the page for email address and password. A user who has not confirmed the
 * address is redirected to the page for the code.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/login-endpoint.html
 */
export function createSignIn(deps: HostedLoginDeps): Handler {
  const { users, limits } = deps;
  return createPageHandler(deps, {
    show: (context, error) => (
      <SignInPage context={context} error={error} notice={error ? null : consumeNotice(context)} />
    ),
    async submit(context) {
      const problem = checkEmail(context) ?? checkCurrentPassword(context);
      if (problem) return problem;
      const email = normalizeEmail(context.field('email'));
      if (limits.signIn.isReached(email)) return tooManyAttempts(context);
      const user = await users.authenticate(email, context.field('password'));
      if (!user) {
        limits.signIn.consume(email);
        return { field: null, message: context.t('credentialsWrong') };
      }
      limits.signIn.reset(email);
      return user.confirmed ? completeSignIn(context, user, deps) : requestCode(context, user, deps);
    },
  });
}

/** Returns the notice in the visitor's state and deletes it there, so that the page shows it once. */
function consumeNotice(context: PageContext): string | null {
  const { notice, ...rest } = context.state;
  if (!notice) return null;
  context.saveState(rest);
  return context.t(notice);
}

function requestCode(
  context: PageContext,
  user: User,
  { limits, users, outbox }: HostedLoginDeps,
): CloudResponse {
  // When the limit is reached, the code that was sent last remains valid.
  if (limits.resend.consume(user.email)) {
    sendSignUpCode(outbox, user.email, users.createCode(user, 'signUp'), context);
  }
  context.saveState({ pendingCode: { email: user.email, purpose: 'signUp' } });
  return redirectToPage(context, '/confirm');
}

type SignInPageProps = { context: PageContext; error: FormError | null; notice: string | null };

function SignInPage({ context, error, notice }: SignInPageProps) {
  const { t, link } = context;
  const focus = focusedField(context, error, ['email', 'password']);
  return (
    <Layout context={context} title={t('signInTitle')}>
      <Form
        context={context}
        action="/login"
        error={error}
        notice={notice}
        submitLabel={t('signInTitle')}
        secondary={
          <p className="aside">
            <a href={link('/forgotPassword')}>{t('forgotLink')}</a>
          </p>
        }
      >
        <EmailField context={context} error={error} focus={focus} />
        <CurrentPasswordField context={context} error={error} focus={focus} />
      </Form>
      <p className="switch">
        <span>{t('noAccount')}</span>
        <a href={link('/signup')}>{t('signUpTitle')}</a>
      </p>
    </Layout>
  );
}
