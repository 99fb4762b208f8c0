/**
 * Who the visitor is. A session lives in a sealed cookie alone: the server keeps nothing of it but, for a while, what
 * stops requests that arrive at the same moment from getting in each other's way.
 */
import { randomBytes } from 'node:crypto';
import type { Env } from '../config/env.ts';
import type { CookieSource, ResponseCookies } from '../cookies/cookie-jar.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { sessionHash } from '../observability/session-hash.ts';
import type { Clock } from '../resilience/clock.ts';
import type { SharedStore } from '../shared-store/shared-store.ts';
import type { TokenVerifier, VerifiedTokens } from '../user-pool/token-verifier.ts';
import type { Tokens, User } from '../user-pool/tokens.ts';
import type { UserPoolClient } from '../user-pool/user-pool-client.ts';
import { createRefresher } from './refresh.ts';
import { createSessionCookies } from './session-cookie.ts';
import { hasExpiredToken, isRefreshDue, isRenewalDue, type SessionRecord } from './session-record.ts';

export type SignedIn = {
  state: 'signed-in';
  /** Random, made at sign-in. The key of every cache; only its `sessionHash` may be logged. */
  id: string;
  tokens: Tokens;
  user: User;
};

/** `ended`: there was one, and it grew too old, idled out, or was refused by the user pool. Told for an hour. */
export type Session = { state: 'anonymous' } | SignedIn | { state: 'ended' };

/** The tokens that a sign-in brings, and what their verification found. */
export type SignInResult = {
  tokens: Pick<Tokens, 'accessToken' | 'idToken' | 'refreshToken'>;
  verified: VerifiedTokens;
};

export type Sessions = {
  /**
   * The session of a request. Refreshes its tokens when that is due, in 4 s at most, and leaves in `cookies` what the
   * browser has to be told. Never throws for a bad cookie, and no upstream trouble ends a session.
   */
  open(request: CookieSource, cookies: ResponseCookies): Promise<Session>;
  /** Begins a session in place of `previous`. Throws a `RangeError` when its tokens are too big for cookies. */
  start(
    request: CookieSource,
    cookies: ResponseCookies,
    previous: Session,
    result: SignInResult,
  ): Promise<SignedIn>;
  /**
   * Ends a session: first its cookie, then, in 2 s at most, its refresh token. Never rejects, and a refresh that is
   * under way cannot bring the session back.
   */
  end(request: CookieSource, cookies: ResponseCookies, session: Session): Promise<void>;
};

const REVOKE_TIMEOUT_MS = 2000;
const ID_BYTES = 16;

type SessionsDeps = {
  env: Pick<Env, 'session'>;
  userPoolClient: UserPoolClient;
  verifier: TokenVerifier;
  store: SharedStore;
  clock: Clock;
  log: Log;
  metrics?: Metrics;
};

/** The sessions of one process. */
export function createSessions(deps: SessionsDeps): Sessions {
  const { env, userPoolClient, clock, log } = deps;
  const cookie = createSessionCookies({ env, clock });
  const refresher = createRefresher(deps);

  /** The record with tokens that are good for now; what ends the session instead; null for one that was closed. */
  const renewed = async (record: SessionRecord): Promise<SessionRecord | 'ended' | null> => {
    if (!isRefreshDue(record, clock())) return record;
    if (record.tokens.refreshToken === null) return hasExpiredToken(record, clock()) ? 'ended' : record;
    const outcome = await refresher.refresh(record);
    if (outcome.state === 'refreshed') return outcome.record;
    if (outcome.state === 'unavailable') return record;
    return outcome.state === 'refused' ? 'ended' : null;
  };

  const save = async (
    request: CookieSource,
    cookies: ResponseCookies,
    record: SessionRecord,
  ): Promise<void> => {
    try {
      await cookie.write(request, cookies, record);
    } catch (err) {
      // The browser keeps the cookie it has.
      log.error({ err, session: sessionHash(record.id) }, 'session not saved');
    }
  };

  return {
    async open(request, cookies) {
      const received = await cookie.read(request);
      switch (received.state) {
        case 'none':
          return { state: 'anonymous' };
        case 'unreadable':
          cookie.clear(request, cookies);
          return { state: 'anonymous' };
        case 'ended':
          return { state: 'ended' };
        case 'over':
          await cookie.writeEnded(request, cookies);
          return { state: 'ended' };
        case 'open':
          break;
      }
      const { record } = received;
      const current = await renewed(refresher.latest(record));
      // Nothing is said to the browser: by now it may hold the cookie of a newer session.
      if (current === null || (await refresher.isClosed(record.id))) return { state: 'anonymous' };
      if (current === 'ended') {
        await cookie.writeEnded(request, cookies);
        return { state: 'ended' };
      }
      const isSeen = isRenewalDue(current, env.session, clock());
      const latest = isSeen ? { ...current, renewedAt: clock() } : current;
      if (latest !== record) await save(request, cookies, latest);
      return toSession(latest);
    },

    async start(request, cookies, previous, { tokens, verified }) {
      if (previous.state === 'signed-in') await refresher.close(previous.id);
      const now = clock();
      const record: SessionRecord = {
        id: randomBytes(ID_BYTES).toString('base64url'),
        startedAt: now,
        renewedAt: now,
        generation: 0,
        tokensExpireAt: verified.expiresAt,
        tokens: { ...tokens, deviceKey: verified.deviceKey, clockDrift: verified.clockDrift },
        user: verified.user,
      };
      await cookie.write(request, cookies, record);
      log.info({ session: sessionHash(record.id) }, 'session started');
      return toSession(record);
    },

    async end(request, cookies, session) {
      cookie.clear(request, cookies);
      if (session.state !== 'signed-in') return;
      await refresher.close(session.id);
      log.info({ session: sessionHash(session.id) }, 'session ended by its visitor');
      const { refreshToken } = session.tokens;
      if (refreshToken === null) return;
      await userPoolClient
        .revoke(refreshToken, AbortSignal.timeout(REVOKE_TIMEOUT_MS))
        .catch((err: unknown) =>
          log.warn({ err, session: sessionHash(session.id) }, 'refresh token not revoked'),
        );
    },
  };
}

function toSession({ id, tokens, user }: SessionRecord): SignedIn {
  return { state: 'signed-in', id, tokens, user };
}
