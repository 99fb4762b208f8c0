import type { Handler } from '../http/exchange.ts';
import { normalizeEmail } from '../user-pool/users.ts';
import type { FormError } from './form.tsx';
import { sendAccountExists, sendSignUpCode } from './mails.ts';
import {
  createPage,
  emailProblem,
  goTo,
  type HostedLogin,
  newPasswordProblem,
  showAgain,
  tooManyAttempts,
} from './page-handler.ts';
import { SignUpPage } from './pages.tsx';

/**
 * `/signup`: a new user. An address that has an account is answered just as one that has none; what came of it is
 * mailed to its owner alone.
 */
export function createSignUp(login: HostedLogin): Handler {
  const { users, outbox, limits } = login;
  return createPage(login, {
    show: (visit, error) => <SignUpPage visit={visit} error={error} />,
    async submit(visit) {
      const refuse = (error: FormError) => showAgain(visit, <SignUpPage visit={visit} error={error} />);
      const problem = emailProblem(visit) ?? newPasswordProblem(visit);
      if (problem) return refuse(problem);
      const email = normalizeEmail(visit.field('email'));
      if (!limits.signUp.take(email)) return refuse(tooManyAttempts(visit));

      const user = await users.signUp(email, visit.field('password'));
      if (user) sendSignUpCode(outbox, email, users.makeCode(user, 'signUp'), visit.t);
      else sendAccountExists(outbox, email, visit.t);
      visit.remember({ awaitsCode: { email, purpose: 'signUp' } });
      return goTo(visit, '/confirmUser');
    },
  });
}
