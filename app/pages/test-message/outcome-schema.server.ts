import { z } from 'zod';
import type { MessageSuccess } from './message-outcome.ts';

const milliseconds = z.number().min(0).max(600_000);

const timingSchema = z.object({
  session: milliseconds,
  identity: milliseconds,
  sign: milliseconds,
  upstream: milliseconds,
  pause: milliseconds,
  identityCached: z.boolean(),
  attempts: z.int().min(1).max(10),
});

const outcomeSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('posted'), id: z.string().max(100), timing: timingSchema }),
  z.object({ type: z.literal('deleted') }),
]);

/** The outcome that a form without scripts has left for the next page, or null for a value that is none. */
export function parseOutcome(value: unknown): MessageSuccess | null {
  return outcomeSchema.safeParse(value).data ?? null;
}
