/**
 * Sign-in attempts: what a browser stores while the visitor is at the hosted login. Each attempt has its own sealed
 * cookie, named after its `state`, so that several tabs can sign in at once. Only this site can create such a cookie,
 * which prevents login CSRF (RFC 9700 section 4.7), and no one else can change its content, including the return path.
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
  /** Adds an attempt. Of more than five, the oldest are deleted, so that they fit into the request headers. */
  add(request: Request, cookies: ResponseCookies, attempt: SignInAttempt): Promise<void>;
  /** Returns the attempt with this `state`, or null if the browser started none within the last ten minutes. */
  find(request: Request, state: string): Promise<SignInAttempt | null>;
  remove(cookies: ResponseCookies, state: string): void;
};

const MAX_AGE_SECONDS = 10 * 60;
const MAX_ATTEMPTS = 5;
/** Several tabs may add one at the same time. Each that is read costs a decryption, and may cost a line of the response. */
const MAX_READ = 12;
const SUFFIX = /^[\w-]{12}$/;

type SignInAttemptsDeps = { env: Pick<Env, 'session'>; clock: Clock };

/** Creates the access to the attempt cookies, with the secrets and attributes that `env` configures. */
export function createSignInAttempts({ env, clock }: SignInAttemptsDeps): SignInAttempts {
  const { secrets, secure } = env.session;
  const prefix = cookieName('oauth', secure);
  const sealer = createCookieSealer(secrets, prefix);
  // Always lax, because the redirect to the callback comes from another site.
  const attributes: CookieAttributes = { httpOnly: true, secure, sameSite: 'lax' };

  const read = async (request: Request, name: string): Promise<SignInAttempt | null> => {
    const unsealed = await sealer.open(readCookies(request).get(name) ?? '', clock());
    if (unsealed.state !== 'open') return null;
    return attemptSchema.safeParse(JSON.parse(Buffer.from(unsealed.body).toString())).data ?? null;
  };

  /** Deletes unreadable attempts and, to make room for one more, the oldest ones. */
  const deleteOldest = async (request: Request, cookies: ResponseCookies): Promise<void> => {
    const readStart = async (name: string) => ({
      name,
      startedAt: (await read(request, name))?.startedAt ?? 0,
    });
    const existing = await Promise.all(attemptNames(request, prefix).map(readStart));
    for (const name of namesToDelete(existing)) cookies.delete(name, attributes);
  };

  return {
    async add(request, cookies, attempt) {
      await deleteOldest(request, cookies);
      const body = Buffer.from(JSON.stringify(attempt));
      const value = await sealer.seal(body, attempt.startedAt + MAX_AGE_SECONDS * 1000);
      cookies.set(attemptName(prefix, attempt.state), value, { ...attributes, maxAge: MAX_AGE_SECONDS });
    },

    async find(request, state) {
      const attempt = await read(request, attemptName(prefix, state));
      return attempt?.state === state ? attempt : null;
    },

    remove: (cookies, state) => cookies.delete(attemptName(prefix, state), attributes),
  };
}

/** The name has a hash, so that it is short whatever the `state` of a callback is. */
function attemptName(prefix: string, state: string): string {
  return `${prefix}.${hash('sha256', state, 'base64url').slice(0, 12)}`;
}

/** The names of the attempt cookies of a request, as `attemptName` forms them, at most twelve. */
function attemptNames(request: Request, prefix: string): string[] {
  const isAttempt = (name: string) =>
    name.startsWith(`${prefix}.`) && SUFFIX.test(name.slice(prefix.length + 1));
  return readCookies(request).names.filter(isAttempt).slice(0, MAX_READ);
}

type ExistingAttempt = {
  name: string;
  /** Milliseconds since 1970; 0 for an unreadable attempt. */
  startedAt: number;
};

/** The names of all attempts but the newest readable ones, so that there is room for one more. */
function namesToDelete(existing: readonly ExistingAttempt[]): string[] {
  const readable = existing.filter(({ startedAt }) => startedAt > 0);
  const newest = readable.toSorted((a, b) => b.startedAt - a.startedAt).slice(0, MAX_ATTEMPTS - 1);
  return existing.filter((attempt) => !newest.includes(attempt)).map(({ name }) => name);
}
