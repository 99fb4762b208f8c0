/**
 * From a session to the AWS credentials that sign its calls. They are kept per session and in this process alone:
 * never in a cookie, never by user, so that nothing of one session can serve another.
 */

import { type Env, userPoolHost } from '../config/env.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Clock } from '../resilience/clock.ts';
import { untilAborted, withDeadline } from '../resilience/deadline.ts';
import type { RetryOptions } from '../resilience/retry.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import type { SignedIn } from '../session/session.ts';
import type { AwsCredentials } from '../signing/signing.ts';
import { createIdentityPool, type IdentityPool, type IssuedCredentials } from './identity-pool.ts';

export type SessionCredentials = {
  credentials: AwsCredentials;
  identityId: string;
  /** Whether they were at hand; false for whoever waited for a fetch, own or shared. */
  cached: boolean;
};

export type Identity = {
  /**
   * Credentials of the session's identity: those at hand, or from one fetch that every waiting request of the session
   * shares. A refreshed ID token changes nothing about them. Rejects with `UpstreamError`, or with the signal's
   * reason; the fetch itself goes on for the others.
   */
  credentialsFor(session: SignedIn, signal: AbortSignal): Promise<SessionCredentials>;
  /** Drops the credentials that the data API refused, unless newer ones have taken their place. */
  dropCredentials(sessionId: string, refused: AwsCredentials): void;
  /**
   * Has the session's first credentials asked for in the name of the guest that the visitor was, which links the two.
   * True once the session has its identity, so that the guest's is of no more use.
   */
  linkGuest(sessionId: string, guestIdentityId: string): boolean;
  /** A new guest identity. Rejects as `credentialsFor`. */
  createGuest(signal: AbortSignal): Promise<string>;
  /** Forgets all of a session, at sign-out. A fetch under way leaves nothing behind. */
  forget(sessionId: string): void;
};

type Entry = {
  identityId: string | null;
  guestIdentityId: string | null;
  issued: IssuedCredentials | null;
  /** Until when `issued` is handed out, in milliseconds by this machine's clock. */
  goodUntil: number;
  fetching: Promise<IssuedCredentials> | null;
};

/** Credentials live for an hour at most. */
const KEEP_MS = 50 * 60 * 1000;
/** What a call that starts now may still need of them. */
const EXPIRY_MARGIN_MS = 60 * 1000;
const FETCH_TIMEOUT_MS = 4500;
/** About 2 kB each; the session that was idle longest goes, and pays one more fetch should it come back. */
const MAX_SESSIONS = 10_000;

/** What the identity pool answers when an identity is not this login's: deleted, or another's, now and later. */
const IDENTITY_REFUSALS = new Set([
  'InvalidParameterException',
  'NotAuthorizedException',
  'ResourceConflictException',
  'ResourceNotFoundException',
]);

type IdentityDeps = {
  env: Pick<Env, 'identityPool' | 'userPool'>;
  clock: Clock;
  log: Log;
  sleep?: RetryOptions['sleep'];
  metrics?: Metrics;
  maxSessions?: number;
  fetchTimeoutMs?: number;
};

/** The identities of one process's sessions. */
export function createIdentity(deps: IdentityDeps): Identity {
  const { env, clock, log, maxSessions = MAX_SESSIONS, fetchTimeoutMs = FETCH_TIMEOUT_MS } = deps;
  const pool = createIdentityPool(deps);
  const entries = createEntries(maxSessions);

  const fetchInto = async (entry: Entry, session: SignedIn): Promise<IssuedCredentials> => {
    const logins = loginsOf(session, env.userPool);
    const issued = await withDeadline(fetchTimeoutMs, undefined, (signal) =>
      fetchCredentials(pool, entry, logins, log, signal),
    );
    const expiresAt = issued.expiresAt - session.tokens.clockDrift;
    entry.goodUntil = Math.min(clock() + KEEP_MS, expiresAt - EXPIRY_MARGIN_MS);
    entry.issued = issued;
    entry.identityId = issued.identityId;
    entry.guestIdentityId = null;
    return issued;
  };

  return {
    async credentialsFor(session, signal) {
      signal.throwIfAborted();
      const entry = entries.touch(session.id);
      if (entry.issued && clock() < entry.goodUntil) return handOut(entry.issued, true);
      entry.fetching ??= fetchInto(entry, session).finally(() => {
        entry.fetching = null;
      });
      return handOut(await untilAborted(entry.fetching, signal), false);
    },

    dropCredentials(sessionId, refused) {
      const entry = entries.peek(sessionId);
      if (entry?.issued?.credentials.accessKeyId === refused.accessKeyId) entry.issued = null;
    },

    linkGuest(sessionId, guestIdentityId) {
      const entry = entries.touch(sessionId);
      if (entry.identityId !== null) return true;
      entry.guestIdentityId = guestIdentityId;
      return false;
    },

    createGuest: (signal) => withDeadline(fetchTimeoutMs, signal, (limit) => pool.getId(null, limit)),
    forget: entries.remove,
  };
}

/** What is known of sessions, the one used last at the end; past `limit` the first one goes. */
function createEntries(limit: number) {
  const entries = new Map<string, Entry>();
  return {
    peek: (sessionId: string) => entries.get(sessionId),
    remove: (sessionId: string) => void entries.delete(sessionId),
    touch(sessionId: string): Entry {
      const entry = entries.get(sessionId) ?? newEntry();
      entries.delete(sessionId);
      entries.set(sessionId, entry);
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
      return entry;
    },
  };
}

function handOut({ credentials, identityId }: IssuedCredentials, cached: boolean): SessionCredentials {
  return { credentials, identityId, cached };
}

function newEntry(): Entry {
  return { identityId: null, guestIdentityId: null, issued: null, goodUntil: 0, fetching: null };
}

/** For the identity that is known or was a guest's, unless that is refused; else for the one the login has. */
async function fetchCredentials(
  pool: IdentityPool,
  { identityId, guestIdentityId }: Entry,
  logins: Record<string, string>,
  log: Log,
  signal: AbortSignal,
): Promise<IssuedCredentials> {
  const knownId = identityId ?? guestIdentityId;
  if (knownId !== null) {
    try {
      return await pool.getCredentials(knownId, logins, signal);
    } catch (err) {
      if (!(err instanceof UpstreamError) || !IDENTITY_REFUSALS.has(err.code)) throw err;
      log.info({ err }, 'identity not accepted for this login');
    }
  }
  try {
    return await pool.getCredentials(await pool.getId(logins, signal), logins, signal);
  } catch (err) {
    throw err instanceof UpstreamError && LOGIN_IS_OVER.test(err.message) ? notAuthenticated(err) : err;
  }
}

/**
 * What the identity pool says of an ID token that time or a sign-out elsewhere has ended, or whose user was deleted.
 * All else by which it refuses a login is a mistake in its configuration or in the site's.
 */
const LOGIN_IS_OVER = /^(Token is inactive|Invalid login token\. Token expired\b)/;

function notAuthenticated(cause?: UpstreamError): UpstreamError {
  return new UpstreamError(
    'identity-pool',
    'UserUnAuthenticatedException',
    'User needs to be authenticated to call this API.',
    { cause },
  );
}

/**
 * The ID token under the name that identity pools have for its user pool: the issuer at AWS without the scheme,
 * wherever tokens really come from.
 */
function loginsOf({ tokens }: SignedIn, { region, id }: Env['userPool']): Record<string, string> {
  if (tokens.idToken === null) throw notAuthenticated();
  return { [`${userPoolHost(region)}/${id}`]: tokens.idToken };
}
