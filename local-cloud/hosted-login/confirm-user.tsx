import type { CloudReply, Handler } from '../http/exchange.ts';
import type { FormError } from './form.tsx';
import { sendSignUpCode } from './mails.ts';
import {
  addressedEmail,
  awaitedEmail,
  codeProblem,
  createPage,
  emailProblem,
  finish,
  goTo,
  type HostedLogin,
  showAgain,
  tooManyAttempts,
} from './page-handler.ts';
import { ConfirmUserPage } from './pages.tsx';
import type { Visit } from './visit.ts';

/**
 * `/confirmUser`: the code of the sign-up mail. The browser that signed up is signed in by it; any other one still has
 * to show the password.
 */
export function createConfirmUser(login: HostedLogin): Handler {
  return createPage(login, {
    show: (visit, error) => confirmPage(visit, { error, notice: null }),
    submit(visit) {
      const problem = awaitedEmail(visit, 'signUp') === null ? emailProblem(visit) : null;
      if (problem) return refuse(visit, problem);
      return visit.field('intent') === 'resend' ? resend(visit, login) : confirm(visit, login);
    },
  });
}

function confirm(visit: Visit, login: HostedLogin): CloudReply {
  const problem = codeProblem(visit);
  if (problem) return refuse(visit, problem);
  const email = addressedEmail(visit, 'signUp');
  if (!login.limits.code.take(`signUp:${email}`)) return refuse(visit, tooManyAttempts(visit));
  const user = login.users.redeemCode(email, 'signUp', visit.field('code'));
  if (!user) return refuse(visit, { field: 'code', message: visit.t('codeWrong') });
  if (awaitedEmail(visit, 'signUp') !== null) return finish(visit, user, login);
  visit.remember({ notice: 'emailConfirmed' });
  return goTo(visit, '/login');
}

function resend(visit: Visit, { users, outbox, limits }: HostedLogin): CloudReply {
  const email = addressedEmail(visit, 'signUp');
  if (!limits.resend.take(email)) return refuse(visit, tooManyAttempts(visit));
  const user = users.find(email);
  // Where there is no one to confirm, the page must not tell.
  if (user && !user.confirmed) sendSignUpCode(outbox, email, users.makeCode(user, 'signUp'), visit.t);
  return { ...showAgain(visit, confirmPage(visit, { error: null, notice: visit.t('resent') })), status: 200 };
}

function refuse(visit: Visit, error: FormError): CloudReply {
  return showAgain(visit, confirmPage(visit, { error, notice: null }));
}

function confirmPage(visit: Visit, { error, notice }: { error: FormError | null; notice: string | null }) {
  return (
    <ConfirmUserPage visit={visit} error={error} notice={notice} email={awaitedEmail(visit, 'signUp')} />
  );
}
