/**
 * The AWS credentials of sessions. They are cached per session, in this process only: never in a cookie and never by
 * user, so that no session gets the credentials of another.
 */

import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import {
  type Clock,
  consoleLog,
  type Log,
  parseJson,
  systemClock,
  UpstreamError,
  untilAborted,
  withDeadline,
} from '#upstream';
import type { Caller } from '../settings.ts';
import type { AwsCredentials } from '../signing/signing.ts';
import {
  createIdentityPoolClient,
  type IdentityPoolClient,
  type IdentityPoolClientOptions,
  type IssuedCredentials,
  providerNameOf,
} from './identity-pool-client.ts';

type SessionCredentials = {
  credentials: AwsCredentials;
  identityId: string;
  /** Whether they came from the cache. False for every request that waited for a fetch. */
  cached: boolean;
  /** Until when they come from the cache, in milliseconds by this machine's clock. They are valid for another minute. */
  validUntil: number;
};

/** The credentials of the sessions of a process, and its guests. */
export type IdentityPool = {
  /**
   * Returns the credentials of the session's identity, from the cache or from one fetch that all waiting requests of the
   * session share. They stay valid when the ID token is refreshed, unless its groups or its role changed. Rejects with an `UpstreamError`, or with the signal's
   * reason; the fetch itself then continues for the other requests.
   */
  credentialsFor(session: Caller, signal: AbortSignal): Promise<SessionCredentials>;
  /** Removes credentials that the data API rejected from the cache, unless newer ones have replaced them. */
  dropCredentials(sessionId: string, rejected: AwsCredentials): void;
  /**
   * Links a guest identity to the session: its first credentials are requested for that identity. Returns true if the
   * session already has an identity, so that the guest identity is no longer needed.
   */
  linkGuest(sessionId: string, guestIdentityId: string): boolean;
  /** Returns the id of a new guest identity. Rejects like `credentialsFor`. */
  createGuest(signal: AbortSignal): Promise<string>;
  /** Removes a session at sign-out. The result of a fetch in progress is not cached. */
  forget(sessionId: string): void;
};

type CachedIdentity = {
  /** The claims about roles of the ID token, or null before the first credentials. */
  roles: string | null;
  identityId: string | null;
  guestIdentityId: string | null;
  issued: IssuedCredentials | null;
  /** Until when `issued` may be used, in milliseconds by this machine's clock. */
  validUntil: number;
  fetching: Promise<IssuedCredentials> | null;
};

/** Credentials are valid for at most an hour. */
const CACHE_MS = 50 * 60 * 1000;
/** The time that a request which starts now may still need them. */
const EXPIRY_MARGIN_MS = 60 * 1000;
const FETCH_TIMEOUT_MS = 4500;
/** About 2 kB each. The credentials of the least recently used session are dropped first, and fetched again if needed. */
const MAX_SESSIONS = 10_000;

/** Error codes for an identity that does not belong to the login: it was deleted, or belongs to another user. */
const IDENTITY_REJECTIONS = new Set([
  'InvalidParameterException',
  'NotAuthorizedException',
  'ResourceConflictException',
  'ResourceNotFoundException',
]);

/** The message for an ID token that was revoked, or whose user was deleted. */
const LOGIN_HAS_ENDED = /^Token is inactive/;

/** The message for an expired ID token. Sessions are refreshed before that, unless the user pool does not refresh them. */
const LOGIN_HAS_EXPIRED = /^Invalid login token\. Token expired\b/;

export type IdentityPoolOptions = IdentityPoolClientOptions & {
  /** The `iss` claim of the user pool's tokens: `https://cognito-idp.{region}.amazonaws.com/{user pool id}`. */
  issuer: string;
  /** How many sessions the cache holds. Default: 10,000. */
  maxSessions?: number;
  /** How long fetching credentials may take, in milliseconds. Default: 4,500. */
  fetchTimeoutMs?: number;
};

/** Creates the credentials cache of a process. Create one for all requests. */
export function createIdentityPool(options: IdentityPoolOptions): IdentityPool {
  const { clock = systemClock, log = consoleLog, maxSessions = MAX_SESSIONS } = options;
  const { issuer, fetchTimeoutMs = FETCH_TIMEOUT_MS } = options;
  const pool = createIdentityPoolClient(options);
  const cache = new LRUCache<string, CachedIdentity>({ max: maxSessions });

  const entryOf = (sessionId: string): CachedIdentity => {
    const entry = cache.get(sessionId) ?? newEntry();
    cache.set(sessionId, entry);
    return entry;
  };

  return {
    async credentialsFor(session, signal) {
      signal.throwIfAborted();
      let entry = entryOf(session.id);
      const roles = rolesOf(session);
      if (entry.roles !== roles) {
        // A new entry: what is being fetched for the old one has the old role.
        const { identityId, guestIdentityId } = entry;
        entry = { ...newEntry(), roles, identityId, guestIdentityId };
        cache.set(session.id, entry);
      }
      if (entry.issued && clock() < entry.validUntil) return toSessionCredentials(entry.issued, entry, true);
      entry.fetching ??= withDeadline(fetchTimeoutMs, undefined, (limit) =>
        fetchInto(entry, session, pool, { issuer, clock, log }, limit),
      ).finally(() => {
        entry.fetching = null;
      });
      return toSessionCredentials(await untilAborted(entry.fetching, signal), entry, false);
    },

    dropCredentials(sessionId, rejected) {
      const entry = cache.peek(sessionId);
      if (entry?.issued?.credentials.accessKeyId === rejected.accessKeyId) entry.issued = null;
    },

    linkGuest(sessionId, guestIdentityId) {
      const entry = entryOf(sessionId);
      if (entry.identityId !== null) return true;
      entry.guestIdentityId = guestIdentityId;
      return false;
    },

    createGuest: (signal) => withDeadline(fetchTimeoutMs, signal, (limit) => pool.getId(null, limit)),
    forget: (sessionId) => void cache.delete(sessionId),
  };
}

function newEntry(): CachedIdentity {
  return {
    roles: null,
    identityId: null,
    guestIdentityId: null,
    issued: null,
    validUntil: 0,
    fetching: null,
  };
}

const roleClaims = z
  .object({
    'cognito:preferred_role': z.string().optional(),
    'cognito:groups': z.array(z.string()).optional(),
  })
  .catch({});

/**
 * Returns the claims by which the identity pool chooses the role, as a text to compare. They are not verified: they only
 * say when to ask the identity pool again.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/role-based-access-control.html
 */
function rolesOf({ tokens }: Caller): string {
  const [, payload = ''] = tokens.idToken?.split('.') ?? [];
  return JSON.stringify(roleClaims.parse(parseJson(Buffer.from(payload, 'base64url').toString())));
}

function toSessionCredentials(
  { credentials, identityId }: IssuedCredentials,
  { validUntil }: CachedIdentity,
  cached: boolean,
): SessionCredentials {
  return { credentials, identityId, cached, validUntil };
}

async function fetchInto(
  entry: CachedIdentity,
  session: Caller,
  pool: IdentityPoolClient,
  { issuer, clock, log }: { issuer: string; clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<IssuedCredentials> {
  const issued = await fetchCredentials(pool, entry, loginsOf(session, issuer), log, signal);
  const expiresAt = issued.expiresAt - (session.tokens.clockDrift ?? 0);
  entry.validUntil = Math.min(clock() + CACHE_MS, expiresAt - EXPIRY_MARGIN_MS);
  entry.issued = issued;
  entry.identityId = issued.identityId;
  entry.guestIdentityId = null;
  return issued;
}

/** Fetches credentials for the known identity or the guest's, or, if that is rejected, for the identity of the login. */
async function fetchCredentials(
  pool: IdentityPoolClient,
  { identityId, guestIdentityId }: CachedIdentity,
  logins: Record<string, string>,
  log: Log,
  signal: AbortSignal,
): Promise<IssuedCredentials> {
  const knownId = identityId ?? guestIdentityId;
  if (knownId !== null) {
    try {
      return await pool.getCredentials(knownId, logins, signal);
    } catch (err) {
      if (!(err instanceof UpstreamError) || !IDENTITY_REJECTIONS.has(err.code)) throw err;
      log.info({ err }, 'identity rejected for this login');
    }
  }
  try {
    return await pool.getCredentials(await pool.getId(logins, signal), logins, signal);
  } catch (err) {
    throw err instanceof UpstreamError ? explainRejection(err) : err;
  }
}

function explainRejection(err: UpstreamError): UpstreamError {
  if (LOGIN_HAS_ENDED.test(err.message)) return notAuthenticated(err);
  if (!LOGIN_HAS_EXPIRED.test(err.message)) return err;
  return new UpstreamError(
    'user-pool',
    'RefreshUnavailable',
    'The ID token has expired and is not refreshed.',
    {
      status: 503,
      cause: err,
    },
  );
}

function notAuthenticated(cause?: UpstreamError): UpstreamError {
  return new UpstreamError(
    'identity-pool',
    'UserUnAuthenticatedException',
    'User needs to be authenticated to call this API.',
    { cause },
  );
}

/** Returns the ID token under its provider name: the issuer without its scheme (AWS, `GetId`, `Logins`). */
function loginsOf({ tokens }: Caller, issuer: string): Record<string, string> {
  if (tokens.idToken === null) throw notAuthenticated();
  return { [providerNameOf(issuer)]: tokens.idToken };
}
