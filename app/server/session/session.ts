/**
 * Sessions of visitors. A session is stored in a sealed cookie only. For concurrent requests of a session the server
 * stores, for a limited time, refreshes in progress, their results and closed sessions.
 */
import { randomBytes } from 'node:crypto';
import type { CookieSource, ResponseCookies } from '../cookies/cookie-jar.ts';
import { sessionHash } from '../observability/session-hash.ts';
import { isUnavailable, UpstreamError } from '../resilience/upstream-error.ts';
import type { VerifiedTokens } from '../user-pool/token-verifier.ts';
import type { Tokens, User } from '../user-pool/tokens.ts';
import { EndedSessions } from './ended-sessions.ts';
import { TokenRefresh, type TokenRefreshDeps } from './refresh.ts';
import { SessionCookie } from './session-cookie.ts';
import {
  hasExpiredToken,
  isRefreshable,
  isRefreshDue,
  isRenewalDue,
  type SessionRecord,
} from './session-record.ts';

export type SignedIn = {
  state: 'signed-in';
  /** A random id created at sign-in, the key of every per-session cache. Logs contain only its `sessionHash`. */
  id: string;
  tokens: Tokens;
  user: User;
};

/** `ended`: the session expired or the user pool ended it, within the last hour. */
export type Session = { state: 'anonymous' } | SignedIn | { state: 'ended' };

/** The tokens of a sign-in and the result of their verification. */
type SignInResult = {
  tokens: Pick<Tokens, 'accessToken' | 'idToken' | 'refreshToken'>;
  verified: VerifiedTokens;
};

const REVOKE_TIMEOUT_MS = 2000;
const ID_BYTES = 16;

/** The sessions of a process. */
export class Sessions {
  readonly #cookie: SessionCookie;
  readonly #refresh: TokenRefresh;
  readonly #ended: EndedSessions;

  constructor(private readonly deps: TokenRefreshDeps) {
    const { env, store, clock } = deps;
    this.#cookie = new SessionCookie(deps);
    this.#refresh = new TokenRefresh(deps);
    this.#ended = new EndedSessions({ marks: store.endMarks, clock, maxAge: env.session.maxAge });
  }

  /**
   * Returns the session of a request, with refreshed tokens if they are due, after at most 4 seconds. Sets the changed
   * session in `cookies`. Never rejects because of a bad cookie. Upstream failures do not end a session.
   */
  async open(request: CookieSource, cookies: ResponseCookies): Promise<Session> {
    const { env, clock, log } = this.deps;
    const received = await this.#cookie.read(request);
    switch (received.state) {
      case 'none':
        return { state: 'anonymous' };
      case 'unreadable':
        this.#cookie.clear(request, cookies);
        return { state: 'anonymous' };
      case 'ended':
        return { state: 'ended' };
      case 'expired':
        return this.#markEnded(request, cookies);
    }
    const { record } = received;
    if (await this.#ended.has(record)) {
      log.info({ session: sessionHash(record.id) }, 'session ended by the operator');
      return this.#markEnded(request, cookies);
    }
    const current = await this.#refreshIfDue(this.#refresh.latest(record));
    // The cookie of a closed session is not changed, because the browser may already have the cookie of a newer session.
    if (current === 'closed' || (await this.#refresh.isClosed(record.id))) return { state: 'anonymous' };
    if (current === 'ended') return this.#markEnded(request, cookies);
    const latest = isRenewalDue(current, env.session, clock()) ? { ...current, renewedAt: clock() } : current;
    if (latest !== record) await this.#save(request, cookies, latest);
    return toSession(latest);
  }

  /** Returns the record with tokens to use now, or why there are none. */
  async #refreshIfDue(record: SessionRecord): Promise<SessionRecord | 'ended' | 'closed'> {
    const { env, clock } = this.deps;
    if (!isRefreshDue(record, env.session, clock())) return record;
    if (!isRefreshable(record)) return hasExpiredToken(record, clock()) ? 'ended' : record;
    const outcome = await this.#refresh.refresh(record);
    if ('record' in outcome) return outcome.record;
    if (outcome.state === 'unavailable') return record;
    return outcome.state === 'refused' ? 'ended' : 'closed';
  }

  /** The next pages say that the session has ended. */
  async #markEnded(request: CookieSource, cookies: ResponseCookies): Promise<Session> {
    await this.#cookie.writeEnded(request, cookies);
    return { state: 'ended' };
  }

  /** If the record cannot be written, the browser keeps its current cookie. */
  async #save(request: CookieSource, cookies: ResponseCookies, record: SessionRecord): Promise<void> {
    try {
      await this.#cookie.write(request, cookies, record);
    } catch (err) {
      this.deps.log.error({ err, session: sessionHash(record.id) }, 'saving the session failed');
    }
  }

  /**
   * Starts a session in place of `previous`, which ends as it does at a sign-out. Rejects with a `RangeError` if the
   * tokens are too long for cookies.
   */
  async start(
    request: CookieSource,
    cookies: ResponseCookies,
    previous: Session,
    { tokens, verified }: SignInResult,
  ): Promise<SignedIn> {
    const { clock, log } = this.deps;
    if (previous.state === 'signed-in') await this.#closeAndRevoke(previous);
    const now = clock();
    const record: SessionRecord = {
      id: randomBytes(ID_BYTES).toString('base64url'),
      startedAt: now,
      renewedAt: now,
      refreshedAt: now,
      generation: 0,
      tokensExpireAt: verified.expiresAt,
      tokens: { ...tokens, deviceKey: verified.deviceKey, clockDrift: verified.clockDrift },
      user: verified.user,
    };
    await this.#cookie.write(request, cookies, record);
    log.info({ session: sessionHash(record.id) }, 'session started');
    return toSession(record);
  }

  /**
   * Ends a session: deletes its cookie and revokes its refresh token, which takes at most 2 seconds. Never rejects. A
   * refresh in progress cannot restore the session. Returns whether the revocation found the hosted login unavailable.
   */
  async end(
    request: CookieSource,
    cookies: ResponseCookies,
    session: Session,
  ): Promise<{ isHostedLoginDown: boolean }> {
    this.#cookie.clear(request, cookies);
    if (session.state !== 'signed-in') return { isHostedLoginDown: false };
    this.deps.log.info({ session: sessionHash(session.id) }, 'session ended by sign-out');
    return this.#closeAndRevoke(session);
  }

  /** Makes copies of a session's cookie useless. Never rejects. */
  async #closeAndRevoke({ id, tokens }: SignedIn): Promise<{ isHostedLoginDown: boolean }> {
    const { userPoolClient, log } = this.deps;
    await this.#refresh.close(id);
    if (tokens.refreshToken === null) return { isHostedLoginDown: false };
    try {
      await userPoolClient.revoke(tokens.refreshToken, AbortSignal.timeout(REVOKE_TIMEOUT_MS));
      return { isHostedLoginDown: false };
    } catch (err) {
      log.warn({ err, session: sessionHash(id) }, 'revoking the refresh token failed');
      return { isHostedLoginDown: err instanceof UpstreamError && isUnavailable(err) };
    }
  }
}

function toSession({ id, tokens, user }: SessionRecord): SignedIn {
  return { state: 'signed-in', id, tokens, user };
}
