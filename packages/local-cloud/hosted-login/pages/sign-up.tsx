import type { Handler } from '../../http/exchange.ts';
import { normalizeEmail } from '../../user-pool/users.ts';
import { EmailField, Form, focusedField, NewPasswordField } from '../form.tsx';
import { checkEmail, checkNewPassword, type FormError, tooManyAttempts } from '../form-errors.ts';
import { Layout } from '../layout.tsx';
import { sendAccountExists, sendSignUpCode } from '../outbox.ts';
import type { PageContext } from '../page-context.ts';
import { createPageHandler, type HostedLoginDeps, redirectToPage } from '../page-handler.ts';

/**
 * Returns the handler of `/signup`, the page for a new account. The response is the same whether or not the address
 * already has an account. If it has one, an email informs the owner of the address.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
 */
export function createSignUp(deps: HostedLoginDeps): Handler {
  const { users, outbox, limits } = deps;
  return createPageHandler(deps, {
    show: (context, error) => <SignUpPage context={context} error={error} />,
    async submit(context) {
      const problem = checkEmail(context) ?? checkNewPassword(context);
      if (problem) return problem;
      const email = normalizeEmail(context.field('email'));
      if (!limits.signUp.consume(email)) return tooManyAttempts(context);

      const user = await users.signUp(email, context.field('password'));
      if (user) sendSignUpCode(outbox, email, users.createCode(user, 'signUp'), context);
      else sendAccountExists(outbox, email, context);
      context.saveState({ pendingCode: { email, purpose: 'signUp' } });
      return redirectToPage(context, '/confirm');
    },
  });
}

function SignUpPage({ context, error }: { context: PageContext; error: FormError | null }) {
  const { t, link } = context;
  const focus = focusedField(context, error, ['email', 'password']);
  return (
    <Layout context={context} title={t('signUpTitle')}>
      <Form context={context} action="/signup" error={error} submitLabel={t('signUpTitle')}>
        <EmailField context={context} error={error} focus={focus} />
        <NewPasswordField context={context} error={error} focus={focus} label="password" />
      </Form>
      <p className="switch">
        <span>{t('haveAccount')}</span>
        <a href={link('/login')}>{t('signInTitle')}</a>
      </p>
    </Layout>
  );
}
