/** The emails that a user pool sends. The local cloud stores them instead and shows them at `/_outbox`. */
import { z } from 'zod';
import type { Clock } from '../http/exchange.ts';
import type { Store } from '../storage/store.ts';
import type { Translate } from './messages.ts';

const MAX_EMAILS = 200;

/** The address from which Cognito sends emails unless the user pool has its own. */
const SENDER_ADDRESS = 'no-reply@verificationemail.com';

const emailSchema = z.object({
  /** The sender, as in the header `From`: a name and an address. */
  from: z.string().default(SENDER_ADDRESS),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  /** The code of six digits in the text, or null. */
  code: z.string().nullable(),
  /** The time in ISO 8601 format. */
  at: z.string(),
});

export type Email = z.infer<typeof emailSchema>;

export type Outbox = {
  /** The stored emails, newest first. */
  readonly emails: readonly Email[];
  send(email: Omit<Email, 'at'>): void;
};

/** Opens the outbox, which stores the newest 200 emails. Calls `onEmail` with every new one. */
export function openOutbox(
  store: Store,
  { clock, onEmail }: { clock: Clock; onEmail: (email: Email) => void },
): Outbox {
  const section = store.section({ name: 'outbox', schema: z.array(emailSchema), initial: () => [] });
  return {
    get emails() {
      return section.value;
    },
    send(content) {
      const email = { ...content, at: new Date(clock()).toISOString() };
      section.change((emails) => {
        emails.unshift(email);
        emails.length = Math.min(emails.length, MAX_EMAILS);
      });
      onEmail(email);
    },
  };
}

/** The language of an email, and the name of the site for which it is sent. */
export type MailContext = { t: Translate; site: string };

/** Sends the code that confirms an email address after sign-up. */
export function sendSignUpCode(outbox: Outbox, to: string, code: string, { t, site }: MailContext): void {
  const text = t('codeMailText', { code, site });
  outbox.send({ from: senderOf(site), to, subject: t('codeMailSubject'), text, code });
}

/** Sends the code that resets a password. */
export function sendResetCode(outbox: Outbox, to: string, code: string, { t, site }: MailContext): void {
  const text = t('resetMailText', { code, site });
  outbox.send({ from: senderOf(site), to, subject: t('resetMailSubject'), text, code });
}

/**
 * Sends the email about a sign-up with the address of an existing account. The sign-up page does not reveal that the
 * account exists.
 */
export function sendAccountExists(outbox: Outbox, to: string, { t, site }: MailContext): void {
  const text = t('existsMailText', { site });
  outbox.send({ from: senderOf(site), to, subject: t('existsMailSubject'), text, code: null });
}

function senderOf(site: string): string {
  return `${site} <${SENDER_ADDRESS}>`;
}
