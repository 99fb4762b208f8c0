/**
 * A fresh sign-in for one action. It is a sign-in attempt with an action; what it results in is not a session but a grant:
 * a sealed cookie for five minutes, with tokens that may change the account. The session of the visitor stays as it is.
 */
import { z } from 'zod';
import { type Clock, parseJson } from '#upstream';
import { deleteChunkedCookie, readChunkedCookie, writeChunkedCookie } from '../cookies/chunked-cookie.ts';
import type { CookieAttributes, CookieSource, ResponseCookies } from '../cookies/cookie-jar.ts';
import { type CookieSealer, cookieName, createCookieSealer } from '../cookies/sealed-cookie.ts';
import type { Session, Sessions, SignedIn } from '../session/session.ts';
import { sessionHash } from '../session/session-hash.ts';
import type { SessionRecord } from '../session/session-record.ts';
import { packTexts, unpackTexts } from '../session/token-packing.ts';
import type { Settings } from '../settings.ts';
import type { Account } from '../user-pool/account.ts';
import type { StepUpAttempt } from './sign-in-attempt.ts';

/** What a fresh sign-in is for. */
export type StepUpRequest = {
  /** The name of the action, such as `rename`. A grant is for one action. */
  action: string;
  /** What the action needs to know again, at most 512 bytes as JSON. No secrets: they would wait in the browser. */
  values?: Readonly<Record<string, string>>;
  /** The path to which the visitor returns. */
  returnTo: string;
};

/** The proof of a fresh sign-in for an action, with the operations on the account that it allows. */
export type Grant = Account & { action: string; values: Readonly<Record<string, string>> };

/** A request, its session, and the jar for the cookies of its response. */
export type StepUpArgs = { request: Request; session: Session; cookies: ResponseCookies };

const sealedFields = z.object({
  id: z.string(),
  action: z.string(),
  values: z.record(z.string(), z.string()),
  session: z.string(),
  sub: z.string(),
});
type SealedGrant = z.infer<typeof sealedFields> & { accessToken: string; refreshToken: string | null };

const GRANT_MS = 5 * 60 * 1000;
const MAX_VALUES_BYTES = 512;

type StepUpDeps = {
  env: Pick<Settings, 'session'>;
  sessions: Pick<Sessions, 'closeGrant' | 'isClosed'>;
  clock: Clock;
};

/** Returns what the attempt remembers of a fresh sign-in that `session` begins. Throws a `RangeError` for long values. */
export function stepUpAttempt({ id, user }: SignedIn, { action, values = {} }: StepUpRequest): StepUpAttempt {
  if (Buffer.byteLength(JSON.stringify(values)) > MAX_VALUES_BYTES) {
    throw new RangeError(`The values of a step-up have more than ${MAX_VALUES_BYTES} bytes.`);
  }
  return { action, values, session: sessionHash(id), sub: user.sub };
}

/** Whether this session began the attempt. */
export function isBegunBy({ session: hash, sub }: StepUpAttempt, session: Session): session is SignedIn {
  return session.state === 'signed-in' && sessionHash(session.id) === hash && session.user.sub === sub;
}

/** The cookies with grants, and the grants in them. */
export class Grants {
  readonly #name: string;
  readonly #attributes: CookieAttributes;
  readonly #sealer: CookieSealer;
  /** Revoke the tokens of grants that are not used. */
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly deps: StepUpDeps) {
    const { secure } = deps.env.session;
    this.#name = cookieName('grant', secure);
    // Always lax, because the redirect to the page of the action comes from another site.
    this.#attributes = { httpOnly: true, secure, sameSite: 'lax' };
    this.#sealer = createCookieSealer(deps.env.session, this.#name);
  }

  /** Gives the browser the grant of a finished sign-in, whose tokens `record` has, in place of an earlier one. */
  async start(
    request: CookieSource,
    cookies: ResponseCookies,
    record: SessionRecord,
    attempt: StepUpAttempt,
  ): Promise<void> {
    const { id, tokens, startedAt } = record;
    const earlier = await this.#read(request);
    if (earlier && earlier.id !== id) await this.#discard(earlier);
    const { accessToken, refreshToken } = tokens;
    const json = JSON.stringify({ id, ...attempt });
    const expiresAt = startedAt + GRANT_MS;
    const value = await this.#sealer.seal(packTexts([json, accessToken, refreshToken]), expiresAt);
    const maxAge = GRANT_MS / 1000;
    writeChunkedCookie(request, cookies, this.#name, value, { ...this.#attributes, maxAge });
    const discard = () => void this.#discard({ id, refreshToken });
    clearTimeout(this.#timers.get(id));
    this.#timers.set(id, setTimeout(discard, expiresAt - this.deps.clock()).unref());
  }

  /** Returns the grant of a session for an action, or null if it is another's, expired, finished or not readable. */
  async open(request: CookieSource, session: Session, action: string): Promise<SealedGrant | null> {
    const grant = await this.#read(request);
    if (grant?.action !== action || !isBegunBy(grant, session)) return null;
    return (await this.deps.sessions.isClosed(grant.id)) ? null : grant;
  }

  /** Deletes the cookie, and revokes the tokens of its grant if that is the session's. Never rejects. */
  async finish(request: CookieSource, cookies: ResponseCookies, session: Session): Promise<void> {
    const grant = await this.#read(request);
    deleteChunkedCookie(request, cookies, this.#name, this.#attributes);
    if (grant && isBegunBy(grant, session)) await this.#discard(grant);
  }

  async #discard({ id, refreshToken }: Pick<SealedGrant, 'id' | 'refreshToken'>): Promise<void> {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    await this.deps.sessions.closeGrant({ id, refreshToken });
  }

  async #read(request: CookieSource): Promise<SealedGrant | null> {
    const value = readChunkedCookie(request, this.#name);
    const unsealed = await this.#sealer.open(value ?? '', this.deps.clock());
    if (unsealed.state !== 'open') return null;
    const [json, accessToken, refreshToken = null] = unpackTexts(unsealed.body) ?? [];
    const fields = sealedFields.safeParse(parseJson(json ?? '')).data;
    return fields && accessToken ? { ...fields, accessToken, refreshToken } : null;
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
