/**
 * Sessions of visitors. A session is stored in a sealed cookie only. For concurrent requests of a session the server
 * stores, for a limited time, refreshes in progress, their results and closed sessions.
 */
import { randomBytes } from 'node:crypto';
import type { CookieSource, ResponseCookies } from '../cookies/cookie-jar.ts';
import type { VerifiedTokens } from '../user-pool/token-verifier.ts';
import type { Tokens, User } from '../user-pool/tokens.ts';
import { browserFamilies } from './browser-family.ts';
import { ClosedSessions, type Revocation } from './closed-sessions.ts';
import { EndWatch } from './end-watch.ts';
import { EndedSessions } from './ended-sessions.ts';
import { TokenRefresh, type TokenRefreshDeps } from './refresh.ts';
import { SessionCookie } from './session-cookie.ts';
import { sessionHash } from './session-hash.ts';
import { type ListedSession, type SessionInfo, SessionList } from './session-list.ts';
import {
  hasExpiredToken,
  isRefreshable,
  isRefreshDue,
  isRenewalDue,
  type SessionRecord,
  sessionEnd,
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

const ID_BYTES = 16;

/** The sessions of a process. */
export class Sessions {
  readonly #cookie: SessionCookie;
  readonly #closed: ClosedSessions;
  readonly #refresh: TokenRefresh;
  readonly #ended: EndedSessions;
  readonly #list: SessionList;
  readonly #watch = new EndWatch((record) => this.#hasEnded(record));
  /** The records of the sessions that requests have. */
  readonly #records = new WeakMap<SignedIn, ListedSession>();

  constructor(private readonly deps: TokenRefreshDeps) {
    const { env, store, clock } = deps;
    this.#cookie = new SessionCookie(deps);
    this.#closed = new ClosedSessions(deps);
    this.#refresh = new TokenRefresh(deps, this.#closed);
    this.#ended = new EndedSessions({ marks: store.endMarks, clock, maxAge: env.session.maxAge });
    this.#list = new SessionList({ ...deps, ended: this.#ended, closed: this.#closed });
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
    if (current === 'closed' || (await this.#closed.isClosed(record.id))) {
      const isTold = await this.#closed.wasEndedElsewhere(record);
      return isTold ? this.#markEnded(request, cookies) : { state: 'anonymous' };
    }
    if (current === 'ended') {
      void this.#list.remove(record);
      return this.#markEnded(request, cookies);
    }
    const latest = isRenewalDue(current, env.session, clock()) ? { ...current, renewedAt: clock() } : current;
    if (latest !== record) await this.#save(request, cookies, latest);
    return this.#toSession(request, latest);
  }

  /**
   * Refreshes the tokens of a request's session although they are not due, so that it has the user's changed attributes.
   * Returns the session as `open` does: with its present tokens if the user pool is unavailable.
   */
  async renew(request: CookieSource, cookies: ResponseCookies, session: SignedIn): Promise<Session> {
    const record = this.#refresh.latest(this.#recordOf(session));
    if (!isRefreshable(record)) return session;
    const outcome = await this.#refresh.refresh(record);
    if ('record' in outcome) {
      await this.#save(request, cookies, outcome.record);
      return this.#toSession(request, outcome.record);
    }
    if (outcome.state === 'unavailable') return session;
    return outcome.state === 'refused' ? this.#markEnded(request, cookies) : { state: 'anonymous' };
  }

  /** The list of the user's sessions, as `SessionList` describes. */
  list(session: SignedIn): Promise<{ sessions: SessionInfo[]; seesAllSessions: boolean }> {
    return this.#list.list(this.#recordOf(session));
  }

  endOther(session: SignedIn, handle: string): Promise<boolean> {
    return this.#list.endOther(this.#recordOf(session), handle);
  }

  endOthers(session: SignedIn): Promise<number | null> {
    return this.#list.endOthers(this.#recordOf(session));
  }

  /** Calls `onEnd` within a second after the session has ended, on any machine. Returns a function that stops the watch. */
  watchEnd(session: SignedIn, onEnd: () => void): () => void {
    return this.#watch.watch(this.#recordOf(session), onEnd);
  }

  async #hasEnded(record: SessionRecord): Promise<boolean> {
    const { env, clock } = this.deps;
    if (clock() >= sessionEnd(this.#refresh.latest(record), env.session)) return true;
    return (await this.#ended.has(record)) || (await this.#closed.isClosed(record.id));
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

  /** Returns a new session for the tokens of a sign-in, and logs `event`. */
  create(
    { tokens, verified }: SignInResult,
    event: 'session started' | 'fresh sign-in' = 'session started',
  ): SessionRecord {
    const { clock, log } = this.deps;
    const now = clock();
    const record: SessionRecord = {
      id: createId(),
      startedAt: now,
      renewedAt: now,
      refreshedAt: now,
      generation: 0,
      tokensExpireAt: verified.expiresAt,
      tokens: { ...tokens, deviceKey: verified.deviceKey, clockDrift: verified.clockDrift },
      user: verified.user,
    };
    log.info({ session: sessionHash(record.id) }, event);
    return record;
  }

  /**
   * Gives the browser a new session in place of `previous`, which ends as it does at a sign-out. Rejects with a
   * `RangeError` if the tokens are too long for cookies.
   */
  async start(
    request: CookieSource,
    cookies: ResponseCookies,
    previous: Session,
    record: SessionRecord,
  ): Promise<SignedIn> {
    if (previous.state === 'signed-in' && previous.id !== record.id) await this.#closeAndRevoke(previous);
    const started = { ...record, families: browserFamilies(request.headers.get('user-agent')) };
    await this.#cookie.write(request, cookies, started);
    return this.#toSession(request, started);
  }

  /**
   * Ends a session: deletes its cookie and revokes its refresh token, which takes at most 2 seconds. Never rejects. A
   * refresh in progress cannot restore the session. Returns `revoked` also when there is nothing to revoke.
   */
  async end(request: CookieSource, cookies: ResponseCookies, session: Session): Promise<Revocation> {
    this.#cookie.clear(request, cookies);
    if (session.state !== 'signed-in') return 'revoked';
    this.deps.log.info({ session: sessionHash(session.id) }, 'session ended by sign-out');
    void this.#list.remove(session);
    return this.#closeAndRevoke(session);
  }

  /** Revokes the tokens of a sign-in that starts no session. Takes at most 2 seconds. Never rejects. */
  async discard({ refreshToken }: Pick<Tokens, 'refreshToken'>): Promise<void> {
    if (refreshToken !== null) await this.#closed.revoke({ id: createId(), refreshToken });
  }

  /** Makes copies of a grant's cookie useless, and revokes its tokens. Takes at most 2 seconds. Never rejects. */
  async closeGrant(grant: { id: string; refreshToken: string | null }): Promise<void> {
    await this.#closed.close(grant.id);
    if (grant.refreshToken !== null)
      await this.#closed.revoke({ ...grant, refreshToken: grant.refreshToken });
  }

  /** Whether a session or a grant is closed, on any machine. */
  isClosed(id: string): Promise<boolean> {
    return this.#closed.isClosed(id);
  }

  /** Makes copies of a session's cookie useless. Never rejects. */
  async #closeAndRevoke({ id, tokens: { refreshToken } }: SignedIn): Promise<Revocation> {
    await this.#refresh.close(id);
    return refreshToken === null ? 'revoked' : this.#closed.revoke({ id, refreshToken });
  }

  /** Ends what runs beside the requests. */
  stop(): void {
    this.#watch.stop();
    this.#closed.stop();
  }

  #toSession(request: CookieSource, record: SessionRecord): SignedIn {
    const { id, tokens, user, families = browserFamilies(request.headers.get('user-agent')) } = record;
    const session: SignedIn = { state: 'signed-in', id, tokens, user };
    const listed = { ...record, families };
    this.#records.set(session, listed);
    void this.#list.saw(listed);
    return session;
  }

  #recordOf(session: SignedIn): ListedSession {
    const record = this.#records.get(session);
    if (!record) throw new TypeError('The session is not one that `open` or `start` has returned.');
    return record;
  }
}

function createId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}
