import type { Outbox } from '../user-pool/outbox.ts';
import type { Translate } from './messages.ts';

/** The mail with the code that confirms an address. */
export function sendSignUpCode(outbox: Outbox, to: string, code: string, t: Translate): void {
  outbox.send({ to, subject: t('codeMailSubject'), text: t('codeMailText', { code }), code });
}

/** The mail with the code that resets a password. */
export function sendResetCode(outbox: Outbox, to: string, code: string, t: Translate): void {
  outbox.send({ to, subject: t('resetMailSubject'), text: t('resetMailText', { code }), code });
}

/** The mail to whoever signs up with an address that has an account: the page must not tell, but its owner may know. */
export function sendAccountExists(outbox: Outbox, to: string, t: Translate): void {
  outbox.send({ to, subject: t('existsMailSubject'), text: t('existsMailText'), code: null });
}
