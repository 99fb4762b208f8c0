/**
 * Sign-in attempts: what a browser stores while the visitor is at the hosted login. Each attempt has its own sealed
 * cookie, named after its `state`, so that several tabs can sign in at once. Only this site can create such a cookie,
 * which prevents login CSRF (RFC 9700 section 4.7), and no one else can change its content, including the return path.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '#upstream';
import { type CookieAttributes, type ResponseCookies, readCookies } from '../cookies/cookie-jar.ts';
import { type CookieSealer, cookieName, createCookieSealer } from '../cookies/sealed-cookie.ts';
import type { Settings } from '../settings.ts';

const stepUpSchema = z.object({
  action: z.string(),
  values: z.record(z.string(), z.string()),
  /** The hash of the session that began it, and its user. */
  session: z.string(),
  sub: z.string(),
});

/** What the attempt is for if it is a fresh sign-in for an action. */
export type StepUpAttempt = z.infer<typeof stepUpSchema>;

const attemptSchema = z.object({
  state: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  startedAt: z.number(),
  stepUp: stepUpSchema.optional(),
});

export type SignInAttempt = z.infer<typeof attemptSchema>;

/** How long an attempt may take. */
export const ATTEMPT_SECONDS = 10 * 60;
const MAX_ATTEMPTS = 5;
/** Several tabs may add one at the same time. Each that is read costs a decryption, and may cost a line of the response. */
const MAX_READ = 12;
const SUFFIX = /^[\w-]{12}$/;
/** Longer paths lose their query: five attempts must fit into the request headers. */
const MAX_RETURN_TO = 512;

type SignInAttemptsDeps = { env: Pick<Settings, 'session'>; clock: Clock };

/** The attempt cookies, with the secrets and attributes that `env` configures. */
export class SignInAttempts {
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #sealer: CookieSealer;
  readonly #attributes: CookieAttributes;

  constructor({ env, clock }: SignInAttemptsDeps) {
    const { secure } = env.session;
    this.#clock = clock;
    this.#prefix = cookieName('oauth', secure);
    this.#sealer = createCookieSealer(env.session, this.#prefix);
    // Always lax, because the redirect to the callback comes from another site.
    this.#attributes = { httpOnly: true, secure, sameSite: 'lax' };
  }

  /**
   * Adds an attempt that starts now. Of more than five, the oldest are deleted, so that they fit into the request
   * headers. `returnTo` must come from `parseReturnTo`.
   */
  async add(
    request: Request,
    cookies: ResponseCookies,
    { state, codeVerifier, returnTo, stepUp }: Omit<SignInAttempt, 'startedAt'>,
  ): Promise<void> {
    await this.#deleteOldest(request, cookies);
    const startedAt = this.#clock();
    const attempt: SignInAttempt = { state, codeVerifier, returnTo: shorten(returnTo), startedAt, stepUp };
    const body = Buffer.from(JSON.stringify(attempt));
    const value = await this.#sealer.seal(body, startedAt + ATTEMPT_SECONDS * 1000);
    cookies.set(this.#nameOf(state), value, { ...this.#attributes, maxAge: ATTEMPT_SECONDS });
  }

  /** Returns the attempt with this `state`, or null if the browser started none within the last ten minutes. */
  async find(request: Request, state: string): Promise<SignInAttempt | null> {
    const attempt = await this.#read(request, this.#nameOf(state));
    return attempt?.state === state ? attempt : null;
  }

  remove(cookies: ResponseCookies, { state }: Pick<SignInAttempt, 'state'>): void {
    cookies.delete(this.#nameOf(state), this.#attributes);
  }

  /** The name has a hash, so that it is short whatever the `state` of a callback is. */
  #nameOf(state: string): string {
    return `${this.#prefix}.${hash('sha256', state, 'base64url').slice(0, 12)}`;
  }

  async #read(request: Request, name: string): Promise<SignInAttempt | null> {
    const unsealed = await this.#sealer.open(readCookies(request).get(name) ?? '', this.#clock());
    if (unsealed.state !== 'open') return null;
    return attemptSchema.safeParse(JSON.parse(Buffer.from(unsealed.body).toString())).data ?? null;
  }

  /** Deletes unreadable attempts and, to make room for one more, the oldest ones. */
  async #deleteOldest(request: Request, cookies: ResponseCookies): Promise<void> {
    const existing = await Promise.all(
      this.#namesIn(request).map(async (name) => ({
        name,
        startedAt: (await this.#read(request, name))?.startedAt ?? UNREADABLE,
      })),
    );
    const newest = existing
      .filter(({ startedAt }) => startedAt > UNREADABLE)
      .toSorted((a, b) => b.startedAt - a.startedAt)
      .slice(0, MAX_ATTEMPTS - 1);
    for (const attempt of existing) {
      if (!newest.includes(attempt)) cookies.delete(attempt.name, this.#attributes);
    }
  }

  /** The names of the attempt cookies of a request, as `#nameOf` forms them, at most twelve. */
  #namesIn(request: Request): string[] {
    const isAttempt = (name: string) =>
      name.startsWith(`${this.#prefix}.`) && SUFFIX.test(name.slice(this.#prefix.length + 1));
    return readCookies(request).names.filter(isAttempt).slice(0, MAX_READ);
  }
}

const UNREADABLE = 0;

function shorten(returnTo: string): string {
  if (returnTo.length <= MAX_RETURN_TO) return returnTo;
  const [path = '/'] = returnTo.split(/[?#]/);
  return path.length <= MAX_RETURN_TO ? path : '/';
}
