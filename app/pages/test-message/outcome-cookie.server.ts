import { z } from 'zod';
import { createFlashCookie } from '../../server/cookies/flash-cookie.ts';
import type { MessageSuccess } from './message-outcome.ts';

const milliseconds = z.number().min(0).max(600_000);

const timingSchema = z.object({
  session: milliseconds,
  identity: milliseconds,
  sign: milliseconds,
  upstream: milliseconds,
  identityCached: z.boolean(),
  attempts: z.int().min(1).max(10),
});

const outcomeSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('posted'), id: z.string().max(100), timing: timingSchema }),
  z.object({ type: z.literal('deleted') }),
]);

/**
 * The flash cookie that passes the outcome of posting or deleting a message to the next page. It contains nothing
 * private.
 */
export const outcomeCookie = createFlashCookie<MessageSuccess>('outcome', {
  serialize: (outcome) => Buffer.from(JSON.stringify(outcome)).toString('base64url'),
  parse(text) {
    try {
      return outcomeSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    } catch {
      return null;
    }
  },
});
