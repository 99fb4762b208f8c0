/** One refresh of a session's tokens: requests new tokens from the user pool and verifies them. */
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { sessionHash } from '../observability/session-hash.ts';
import type { Clock } from '../resilience/clock.ts';
import { logUpstreamFailure } from '../resilience/configuration-error.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import { isRefreshTokenRejected } from '../user-pool/refresh-rejection.ts';
import type { TokenVerifier, VerifiedTokens } from '../user-pool/token-verifier.ts';
import type { RefreshedTokens, UserPoolClient } from '../user-pool/user-pool-client.ts';
import type { RefreshableRecord, SessionRecord } from './session-record.ts';

/**
 * `refused`: the user pool rejected the refresh token of this generation for good. `unavailable`: the refresh failed and
 * may be repeated from `retryAt` on (milliseconds).
 */
export type RefreshAttempt =
  | { state: 'refreshed'; record: SessionRecord }
  | { state: 'refused'; generation: number }
  | FailedAttempt;

type FailedAttempt = {
  state: 'unavailable';
  failures: number;
  retryAt: number;
  /** New tokens that could not be verified because the user pool's keys were unavailable. */
  unverified: RefreshedTokens | null;
};

/** Makes one attempt to refresh a session, after `previous` if that failed. Never rejects. */
export type AttemptRefresh = (
  record: RefreshableRecord,
  previous: FailedAttempt | null,
) => Promise<RefreshAttempt>;

export type RefreshAttemptDeps = {
  userPoolClient: UserPoolClient;
  verifier: TokenVerifier;
  clock: Clock;
  log: Log;
  metrics?: Metrics;
};

const REFRESH_TIMEOUT_MS = 20_000;
const MIN_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 10_000;

/** Creates the attempt function of a process. */
export function createRefreshAttempt(deps: RefreshAttemptDeps): AttemptRefresh {
  const { userPoolClient, verifier, clock, log } = deps;

  return async (record, previous) => {
    const session = sessionHash(record.id);
    let issued = previous?.unverified ?? null;
    try {
      issued ??= await userPoolClient.refresh(record.tokens, AbortSignal.timeout(REFRESH_TIMEOUT_MS));
      const verified = await verifier.verify(issued, null);
      if (verified.user.sub !== record.user.sub) throw new RangeError('the new tokens are for another user');
      log.info({ session }, 'tokens refreshed');
      return { state: 'refreshed', record: successorOf(record, issued, verified, clock()) };
    } catch (err) {
      if (isRefreshTokenRejected(err)) {
        log.info({ err, session }, 'token refresh rejected: session ended');
        return { state: 'refused', generation: record.generation };
      }
      logUpstreamFailure(log, err, 'token refresh failed: session continues', { session });
      const failures = (previous?.failures ?? 0) + 1;
      const retryAt = clock() + backoffMs(failures);
      // With rotation, the old refresh token is already used up: new tokens must not be lost because the keys to verify
      // them were unavailable. Any other error means that they are invalid.
      const unverified = err instanceof UpstreamError ? issued : null;
      return { state: 'unavailable', failures, retryAt, unverified };
    }
  };
}

function backoffMs(failures: number): number {
  return Math.min(MIN_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
}

function successorOf(
  record: RefreshableRecord,
  issued: RefreshedTokens,
  verified: VerifiedTokens,
  now: number,
): SessionRecord {
  return {
    ...record,
    renewedAt: now,
    refreshedAt: now,
    generation: record.generation + 1,
    tokensExpireAt: verified.expiresAt,
    tokens: {
      accessToken: issued.accessToken,
      idToken: issued.idToken,
      refreshToken: issued.refreshToken ?? record.tokens.refreshToken,
      deviceKey: verified.deviceKey ?? record.tokens.deviceKey,
      clockDrift: verified.clockDrift,
    },
    // Only an ID token contains the user's name and email address.
    user: issued.idToken === null ? record.user : verified.user,
  };
}
