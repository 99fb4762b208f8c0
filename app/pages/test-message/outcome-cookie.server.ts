/** How posting or deleting went, kept in a cookie from the redirect to the page that tells it, once. */
import { z } from 'zod';
import { type CookieAttributes, type ResponseCookies, readCookies } from '../../server/cookies/cookie-jar.ts';
import { cookieName } from '../../server/cookies/sealed-cookie.ts';
import type { MessageSuccess } from './message-outcome.ts';

const MAX_AGE = 60;

const ms = z.number().min(0).max(600_000);

const timingSchema = z.object({
  session: ms,
  identity: ms,
  sign: ms,
  upstream: ms,
  identityCached: z.boolean(),
  attempts: z.int().min(1).max(10),
});

const outcomeSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('posted'), timing: timingSchema }),
  z.object({ type: z.literal('deleted') }),
]);

/** Keeps `outcome` for the page that the visitor is sent to. There is nothing in it that others must not read. */
export function keepOutcome(cookies: ResponseCookies, outcome: MessageSuccess, secure: boolean): void {
  const value = Buffer.from(JSON.stringify(outcome)).toString('base64url');
  cookies.set(cookieName('outcome', secure), value, { ...attributes(secure), maxAge: MAX_AGE });
}

/** What was kept, if it can be what this site kept, and removes it. */
export function takeOutcome(
  request: Request,
  cookies: ResponseCookies,
  secure: boolean,
): MessageSuccess | null {
  const name = cookieName('outcome', secure);
  const value = readCookies(request).get(name);
  if (value === null) return null;
  cookies.delete(name, attributes(secure));
  try {
    return outcomeSchema.parse(JSON.parse(Buffer.from(value, 'base64url').toString()));
  } catch {
    return null;
  }
}

function attributes(secure: boolean): CookieAttributes {
  return { httpOnly: true, secure, sameSite: 'lax' };
}
