import type { Handler } from '../http/exchange.ts';
import { normalizeEmail, type User } from '../user-pool/users.ts';
import type { FormError } from './form.tsx';
import { sendSignUpCode } from './mails.ts';
import {
  createPage,
  emailProblem,
  finish,
  goTo,
  type HostedLogin,
  showAgain,
  tooManyAttempts,
} from './page-handler.ts';
import { SignInPage } from './pages.tsx';
import type { Visit } from './visit.ts';

/** `/login`: e-mail and password. Who has not confirmed the address yet is sent to do that first. */
export function createSignIn(login: HostedLogin): Handler {
  return createPage(login, {
    show(visit, error) {
      const { notice, ...remembered } = visit.remembered;
      if (notice) visit.remember(remembered);
      return <SignInPage visit={visit} error={error} notice={notice ? visit.t(notice) : null} />;
    },
    async submit(visit) {
      const refuse = (error: FormError) => showAgain(visit, <SignInPage visit={visit} error={error} />);
      const problem = emailProblem(visit) ?? passwordMissing(visit);
      if (problem) return refuse(problem);
      const email = normalizeEmail(visit.field('email'));
      if (login.limits.signIn.isSpent(email)) return refuse(tooManyAttempts(visit));
      const user = await login.users.authenticate(email, visit.field('password'));
      if (!user) {
        login.limits.signIn.take(email);
        return refuse({ field: null, message: visit.t('credentialsWrong') });
      }
      login.limits.signIn.forget(email);
      return user.confirmed ? finish(visit, user, login) : askForCode(visit, user, login);
    },
  });
}

function passwordMissing(visit: Visit): FormError | null {
  return visit.field('password') === '' ? { field: 'password', message: visit.t('passwordMissing') } : null;
}

function askForCode(visit: Visit, user: User, { limits, users, outbox }: HostedLogin) {
  // Past the limit the code that was sent last still holds.
  if (limits.resend.take(user.email)) {
    sendSignUpCode(outbox, user.email, users.makeCode(user, 'signUp'), visit.t);
  }
  visit.remember({ awaitsCode: { email: user.email, purpose: 'signUp' } });
  return goTo(visit, '/confirmUser');
}
