import { z } from 'zod';
import type { Clock } from '../http/exchange.ts';
import type { Store } from '../storage/store.ts';

const KEPT_MAILS = 200;

const mailSchema = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  /** The six digits in it; null in a mail that has none. */
  code: z.string().nullable(),
  /** ISO 8601. */
  at: z.string(),
});

export type Mail = z.infer<typeof mailSchema>;

export type Outbox = {
  /** Newest first. */
  readonly mails: readonly Mail[];
  send(mail: Omit<Mail, 'at'>): void;
};

/** Where the mails land that a real user pool would send; `onMail` hears of each. */
export function openOutbox(
  store: Store,
  { clock, onMail }: { clock: Clock; onMail: (mail: Mail) => void },
): Outbox {
  const section = store.section({ name: 'outbox', schema: z.array(mailSchema), initial: () => [] });
  return {
    get mails() {
      return section.value;
    },
    send(content) {
      const mail = { ...content, at: new Date(clock()).toISOString() };
      section.change((mails) => {
        mails.unshift(mail);
        mails.length = Math.min(mails.length, KEPT_MAILS);
      });
      onMail(mail);
    },
  };
}
