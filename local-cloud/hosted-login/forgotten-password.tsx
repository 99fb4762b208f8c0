import type { Handler } from '../http/exchange.ts';
import { normalizeEmail } from '../user-pool/users.ts';
import type { FormError } from './form.tsx';
import { sendResetCode } from './mails.ts';
import {
  addressedEmail,
  awaitedEmail,
  codeProblem,
  createPage,
  emailProblem,
  finish,
  goTo,
  type HostedLogin,
  newPasswordProblem,
  showAgain,
  tooManyAttempts,
} from './page-handler.ts';
import { ConfirmForgotPasswordPage, ForgotPasswordPage } from './pages.tsx';
import type { Visit } from './visit.ts';

/** `/forgotPassword`: has a code mailed, if the address has an account. The page does not tell whether it has. */
export function createForgotPassword(login: HostedLogin): Handler {
  const { users, outbox, limits } = login;
  return createPage(login, {
    show: (visit, error) => <ForgotPasswordPage visit={visit} error={error} />,
    submit(visit) {
      const refuse = (error: FormError) =>
        showAgain(visit, <ForgotPasswordPage visit={visit} error={error} />);
      const problem = emailProblem(visit);
      if (problem) return refuse(problem);
      const email = normalizeEmail(visit.field('email'));
      if (!limits.resend.take(email)) return refuse(tooManyAttempts(visit));
      const user = users.find(email);
      if (user) sendResetCode(outbox, email, users.makeCode(user, 'reset'), visit.t);
      visit.remember({ awaitsCode: { email, purpose: 'reset' } });
      return goTo(visit, '/confirmForgotPassword');
    },
  });
}

/**
 * `/confirmForgotPassword`: the code and a new password. The code shows whose the address is, so it confirms it too.
 */
export function createConfirmForgotPassword(login: HostedLogin): Handler {
  const { users, limits } = login;
  return createPage(login, {
    show: resetPage,
    async submit(visit) {
      const refuse = (error: FormError) => showAgain(visit, resetPage(visit, error));
      const awaited = awaitedEmail(visit, 'reset');
      // The password before the code: a code that is used up for a password that is refused would be lost.
      const problem =
        (awaited === null ? emailProblem(visit) : null) ?? codeProblem(visit) ?? newPasswordProblem(visit);
      if (problem) return refuse(problem);
      const email = addressedEmail(visit, 'reset');
      if (!limits.code.take(`reset:${email}`)) return refuse(tooManyAttempts(visit));
      const user = users.redeemCode(email, 'reset', visit.field('code'));
      if (!user) return refuse({ field: 'code', message: visit.t('codeWrong') });
      await users.setPassword(user, visit.field('password'));
      limits.signIn.forget(email);
      if (awaited !== null) return finish(visit, user, login);
      visit.remember({ notice: 'passwordChanged' });
      return goTo(visit, '/login');
    },
  });
}

function resetPage(visit: Visit, error: FormError | null) {
  return <ConfirmForgotPasswordPage visit={visit} error={error} email={awaitedEmail(visit, 'reset')} />;
}
