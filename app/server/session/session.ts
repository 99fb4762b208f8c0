/**
 * Sessions of visitors. A session is stored in a sealed cookie only. For concurrent requests of a session the server
 * stores, for a limited time, refreshes in progress, their results and closed sessions.
 */
import { randomBytes } from 'node:crypto';
import type { Env } from '../config/env.ts';
import type { CookieSource, ResponseCookies } from '../cookies/cookie-jar.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { sessionHash } from '../observability/session-hash.ts';
import type { Clock } from '../resilience/clock.ts';
import { isUnavailable, UpstreamError } from '../resilience/upstream-error.ts';
import type { SharedStore } from '../shared-store/shared-store.ts';
import type { TokenVerifier, VerifiedTokens } from '../user-pool/token-verifier.ts';
import type { Tokens, User } from '../user-pool/tokens.ts';
import type { UserPoolClient } from '../user-pool/user-pool-client.ts';
import { createEndedSessions, type EndedSessions } from './ended-sessions.ts';
import { createRefresher, type Refresher } from './refresh.ts';
import { createSessionCookies, type SessionCookies } from './session-cookie.ts';
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

export type Sessions = {
  /**
   * Returns the session of a request, with refreshed tokens if they are due, after at most 4 seconds. Sets the changed
   * session in `cookies`. Never rejects because of a bad cookie. Upstream failures do not end a session.
   */
  open(request: CookieSource, cookies: ResponseCookies): Promise<Session>;
  /**
   * Starts a session in place of `previous`, which ends as it does at a sign-out. Rejects with a `RangeError` if the
   * tokens are too long for cookies.
   */
  start(
    request: CookieSource,
    cookies: ResponseCookies,
    previous: Session,
    result: SignInResult,
  ): Promise<SignedIn>;
  /**
   * Ends a session: deletes its cookie and revokes its refresh token, which takes at most 2 seconds. Never rejects. A
   * refresh in progress cannot restore the session. Returns whether the revocation found the hosted login unavailable.
   */
  end(
    request: CookieSource,
    cookies: ResponseCookies,
    session: Session,
  ): Promise<{ isHostedLoginDown: boolean }>;
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

type SessionParts = SessionsDeps & { cookie: SessionCookies; refresher: Refresher; ended: EndedSessions };

/** Creates the sessions of a process. */
export function createSessions(deps: SessionsDeps): Sessions {
  const { env, store, clock } = deps;
  const ended = createEndedSessions({ marks: store.endMarks, clock, maxAge: env.session.maxAge });
  const parts = { ...deps, cookie: createSessionCookies(deps), refresher: createRefresher(deps), ended };
  return {
    open: (request, cookies) => openSession(parts, request, cookies),
    start: (request, cookies, previous, result) => startSession(parts, request, cookies, previous, result),
    end: (request, cookies, session) => endSession(parts, request, cookies, session),
  };
}

async function openSession(
  parts: SessionParts,
  request: CookieSource,
  cookies: ResponseCookies,
): Promise<Session> {
  const { cookie, refresher, env, clock, log } = parts;
  const received = await cookie.read(request);
  switch (received.state) {
    case 'none':
      return { state: 'anonymous' };
    case 'unreadable':
      cookie.clear(request, cookies);
      return { state: 'anonymous' };
    case 'ended':
      return { state: 'ended' };
    case 'expired':
      await cookie.writeEnded(request, cookies);
      return { state: 'ended' };
  }
  const { record } = received;
  if (await parts.ended.has(record)) {
    log.info({ session: sessionHash(record.id) }, 'session ended by the operator');
    await cookie.writeEnded(request, cookies);
    return { state: 'ended' };
  }
  const current = await refreshIfDue(parts, refresher.latest(record));
  // The cookie of a closed session is not changed, because the browser may already have the cookie of a newer session.
  if (current === 'closed' || (await refresher.isClosed(record.id))) return { state: 'anonymous' };
  if (current === 'ended') {
    await cookie.writeEnded(request, cookies);
    return { state: 'ended' };
  }
  const latest = isRenewalDue(current, env.session, clock()) ? { ...current, renewedAt: clock() } : current;
  if (latest !== record) await save(parts, request, cookies, latest);
  return toSession(latest);
}

/** Returns the record with tokens to use now, or why there are none. */
async function refreshIfDue(
  { refresher, env, clock }: SessionParts,
  record: SessionRecord,
): Promise<SessionRecord | 'ended' | 'closed'> {
  if (!isRefreshDue(record, env.session, clock())) return record;
  if (!isRefreshable(record)) return hasExpiredToken(record, clock()) ? 'ended' : record;
  const outcome = await refresher.refresh(record);
  if (outcome.state === 'refreshed') return outcome.record;
  if (outcome.state === 'unavailable') return record;
  return outcome.state === 'refused' ? 'ended' : 'closed';
}

/** If the record cannot be written, the browser keeps its current cookie. */
async function save(
  { cookie, log }: SessionParts,
  request: CookieSource,
  cookies: ResponseCookies,
  record: SessionRecord,
): Promise<void> {
  try {
    await cookie.write(request, cookies, record);
  } catch (err) {
    log.error({ err, session: sessionHash(record.id) }, 'saving the session failed');
  }
}

async function startSession(
  parts: SessionParts,
  request: CookieSource,
  cookies: ResponseCookies,
  previous: Session,
  { tokens, verified }: SignInResult,
): Promise<SignedIn> {
  const { cookie, clock, log } = parts;
  if (previous.state === 'signed-in') await closeAndRevoke(parts, previous);
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
  await cookie.write(request, cookies, record);
  log.info({ session: sessionHash(record.id) }, 'session started');
  return toSession(record);
}

async function endSession(
  parts: SessionParts,
  request: CookieSource,
  cookies: ResponseCookies,
  session: Session,
): Promise<{ isHostedLoginDown: boolean }> {
  parts.cookie.clear(request, cookies);
  if (session.state !== 'signed-in') return { isHostedLoginDown: false };
  parts.log.info({ session: sessionHash(session.id) }, 'session ended by sign-out');
  return closeAndRevoke(parts, session);
}

/** Makes copies of a session's cookie useless. Never rejects. */
async function closeAndRevoke(
  { refresher, userPoolClient, log }: SessionParts,
  { id, tokens }: SignedIn,
): Promise<{ isHostedLoginDown: boolean }> {
  await refresher.close(id);
  if (tokens.refreshToken === null) return { isHostedLoginDown: false };
  try {
    await userPoolClient.revoke(tokens.refreshToken, AbortSignal.timeout(REVOKE_TIMEOUT_MS));
    return { isHostedLoginDown: false };
  } catch (err) {
    log.warn({ err, session: sessionHash(id) }, 'revoking the refresh token failed');
    return { isHostedLoginDown: err instanceof UpstreamError && isUnavailable(err) };
  }
}

function toSession({ id, tokens, user }: SessionRecord): SignedIn {
  return { state: 'signed-in', id, tokens, user };
}
