/**
 * What a browser keeps while its visitor is away at the hosted login: one sealed cookie per attempt, named after its
 * `state`, so that several tabs can be at it at once. Nobody else can make one (login CSRF: RFC 9700 section 4.7), and
 * what it holds, where to go afterwards included, cannot be changed on the way.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Env } from '../config/env.ts';
import { type CookieAttributes, type ResponseCookies, readCookies } from '../cookies/cookie-jar.ts';
import { cookieName, createCookieSealer } from '../cookies/sealed-cookie.ts';
import type { Clock } from '../resilience/clock.ts';

const attemptSchema = z.object({
  state: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  startedAt: z.number(),
});

export type SignInAttempt = z.infer<typeof attemptSchema>;

export type SignInAttempts = {
  /** Adds an attempt. Beyond five unfinished ones the oldest go, so that they never fill up the request's header. */
  remember(request: Request, cookies: ResponseCookies, attempt: SignInAttempt): Promise<void>;
  /** The attempt that `state` belongs to: null when this browser began none, or more than ten minutes ago. */
  find(request: Request, state: string): Promise<SignInAttempt | null>;
  forget(cookies: ResponseCookies, state: string): void;
};

const MAX_AGE = 10 * 60;
const MAX_ATTEMPTS = 5;

/** The attempts of a site that is configured so. */
export function createSignInAttempts({
  env,
  clock,
}: {
  env: Pick<Env, 'session'>;
  clock: Clock;
}): SignInAttempts {
  const { secrets, secure } = env.session;
  const base = cookieName('oauth', secure);
  const sealer = createCookieSealer(secrets, base);
  // Lax whatever the session is: the callback is reached from another site.
  const attributes: CookieAttributes = { httpOnly: true, secure, sameSite: 'lax' };

  const nameOf = (state: string): string => `${base}.${hash('sha256', state, 'base64url').slice(0, 12)}`;

  const namesIn = (request: Request): string[] =>
    readCookies(request).names.filter((name) => name.startsWith(base));

  const read = async (request: Request, name: string): Promise<SignInAttempt | null> => {
    const unsealed = await sealer.open(readCookies(request).get(name) ?? '', clock());
    if (unsealed.state !== 'open') return null;
    const attempt = attemptSchema.safeParse(JSON.parse(Buffer.from(unsealed.body).toString())).data;
    return attempt && nameOf(attempt.state) === name ? attempt : null;
  };

  return {
    async remember(request, cookies, attempt) {
      const earlier = await Promise.all(
        namesIn(request).map(async (name) => ({ name, at: (await read(request, name))?.startedAt ?? 0 })),
      );
      const newestFirst = earlier.sort((a, b) => b.at - a.at);
      const kept = newestFirst.filter(({ at }) => at > 0).slice(0, MAX_ATTEMPTS - 1);
      for (const one of earlier) if (!kept.includes(one)) cookies.delete(one.name, attributes);

      const body = Buffer.from(JSON.stringify(attempt));
      const value = await sealer.seal(body, attempt.startedAt + MAX_AGE * 1000);
      cookies.set(nameOf(attempt.state), value, { ...attributes, maxAge: MAX_AGE });
    },

    async find(request, state) {
      const attempt = await read(request, nameOf(state));
      return attempt?.state === state ? attempt : null;
    },

    forget: (cookies, state) => cookies.delete(nameOf(state), attributes),
  };
}
