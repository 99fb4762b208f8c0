import type { Clock } from '../http/exchange.ts';
import type { Email, Store } from '../storage/store.ts';
import type { Translate } from './messages.ts';

const MAX_EMAILS = 200;

/** The address from which Cognito sends emails unless the user pool has its own. */
const SENDER_ADDRESS = 'no-reply@verificationemail.com';

/** The language of an email, and the name of the site for which it is sent. */
type MailContext = { t: Translate; site: string };

/** Stores the email with a code that confirms an address after sign-up (`code`) or resets a password (`reset`). */
export type SendCode = (purpose: 'code' | 'reset', to: string, code: string, context: MailContext) => void;

/** Returns a function that puts emails into the outbox, which keeps the newest 200. Calls `onEmail` with every one. */
export function createOutbox(store: Store, clock: Clock, onEmail: (email: Email) => void): SendCode {
  return (purpose, to, code, { t, site }) => {
    const email: Email = {
      from: `${site} <${SENDER_ADDRESS}>`,
      to,
      subject: t(`${purpose}MailSubject`),
      text: t(`${purpose}MailText`, { code, site }),
      code,
      at: new Date(clock()).toISOString(),
    };
    store.state.outbox = [email, ...store.state.outbox].slice(0, MAX_EMAILS);
    store.save();
    onEmail(email);
  };
}
