/**
 * New tokens for old, once per session however many requests ask at the same moment of however many machines, and
 * never for another session: everything here is kept under the session's own random id.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Log } from '../observability/log.ts';
import { type Metrics, noMetrics } from '../observability/metrics.ts';
import { sessionHash } from '../observability/session-hash.ts';
import { createCircuitBreaker } from '../resilience/circuit-breaker.ts';
import type { Clock } from '../resilience/clock.ts';
import { createConcurrencyLimit } from '../resilience/concurrency-limit.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import type { SharedStore } from '../shared-store/shared-store.ts';
import type { TokenVerifier, VerifiedTokens } from '../user-pool/token-verifier.ts';
import {
  isRefreshTokenRejected,
  type RefreshedTokens,
  type UserPoolClient,
} from '../user-pool/user-pool-client.ts';
import type { SessionRecord } from './session-record.ts';

/**
 * `refused` is for good. `unavailable` will pass: carry on with the tokens at hand. `closed`: the visitor signed out
 * meanwhile, or signed in anew.
 */
export type RefreshOutcome =
  | { state: 'refreshed'; record: SessionRecord; adopted: boolean }
  | { state: 'refused' | 'unavailable' | 'closed' };

export type Refresher = {
  /**
   * The newest record that is known of a session. A browser that never received its new cookie, because the
   * navigation was cancelled, holds a refresh token that was rotated out; it goes on from here.
   */
  latest(record: SessionRecord): SessionRecord;
  /** Refreshes a session's tokens, or joins the refresh that is under way. Never rejects; takes 4 s at most. */
  refresh(record: SessionRecord): Promise<RefreshOutcome>;
  /** From now on the session is over on every machine: no refresh that is under way brings it back. */
  close(id: string): Promise<void>;
  isClosed(id: string): Promise<boolean>;
};

type RefresherDeps = {
  userPoolClient: UserPoolClient;
  verifier: TokenVerifier;
  store: SharedStore;
  clock: Clock;
  log: Log;
  metrics?: Metrics;
};

/** Lets a call to the user pool through when it is its turn, unless the user pool is left alone. */
type UserPoolGate = <T>(signal: AbortSignal, call: () => Promise<T>) => Promise<T>;

type Flight = { outcome: Promise<RefreshOutcome>; startedAt: number };

/** What is remembered of a session after a refresh. `issued` are new tokens whose signing keys could not be had. */
type Memory =
  | { state: 'refreshed'; record: SessionRecord }
  | { state: 'refused'; generation: number }
  | { state: 'unavailable'; failures: number; retryAt: number; issued: RefreshedTokens | null };

/** How long requests wait for a refresh; who comes later than that, while it still goes on, waits a little only. */
const PATIENCE_MS = 4000;
const LATE_PATIENCE_MS = 1000;
const REFRESH_TIMEOUT_MS = 20_000;
const REVOKE_TIMEOUT_MS = 5000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;

/** About 25 MB of tokens at most. Who is pushed out is refreshed again, and loses nothing inside the grace period. */
const MAX_MEMORIES = 5000;
const MEMORY_MS = 60 * 60 * 1000;

/** A user pool takes 120 refreshes a second unless it is asked for more (AWS, "Quotas in Amazon Cognito"). */
const CALLS_AT_ONCE = 50;
const CALLS_WAITING = 5000;

/** A refresher with its own memory, bounded in number and time. */
export function createRefresher(deps: RefresherDeps): Refresher {
  const { clock, log, store, metrics = noMetrics } = deps;
  const breaker = createCircuitBreaker('user-pool', clock, log, { metrics });
  const limit = createConcurrencyLimit({
    service: 'user-pool',
    atOnce: CALLS_AT_ONCE,
    waiting: CALLS_WAITING,
    metrics,
  });
  const gate: UserPoolGate = (signal, call) => limit.run(signal, () => breaker.run(call));
  const perf = { now: clock };
  const memories = new LRUCache<string, Memory>({
    max: MAX_MEMORIES,
    ttl: MEMORY_MS,
    ttlResolution: 0,
    perf,
  });
  const underWay = new Map<string, Flight>();

  const run = async (record: SessionRecord): Promise<RefreshOutcome> => {
    if (await store.isSessionClosed(record.id)) return { state: 'closed' };
    const memory = memories.get(record.id);
    if (memory?.state === 'refreshed' && memory.record.generation > record.generation)
      return { ...memory, adopted: true };
    if (memory?.state === 'refused' && memory.generation >= record.generation) return { state: 'refused' };
    if (memory?.state === 'unavailable' && clock() < memory.retryAt) return { state: 'unavailable' };
    let isOurs = false;
    const next = await store.refreshOnce(record, () => {
      isOurs = true;
      return exchange(record, memory?.state === 'unavailable' ? memory : null, gate, deps);
    });
    if (await store.isSessionClosed(record.id)) {
      await revokeUnwanted(next, deps);
      return { state: 'closed' };
    }
    if (next.state === 'busy') return { state: 'unavailable' };
    memories.set(record.id, next);
    if (next.state !== 'refreshed') return { state: next.state };
    return { ...next, adopted: !isOurs };
  };

  const runAndCount = async (record: SessionRecord): Promise<RefreshOutcome> => {
    const outcome = await run(record);
    const isAdopted = outcome.state === 'refreshed' && outcome.adopted;
    metrics.refreshEnded(isAdopted ? 'adopted' : outcome.state);
    return outcome;
  };

  return {
    latest(record) {
      const memory = memories.get(record.id);
      const isNewer = memory?.state === 'refreshed' && memory.record.generation > record.generation;
      return isNewer ? memory.record : record;
    },

    async refresh(record) {
      let flight = underWay.get(record.id);
      if (!flight) {
        const outcome = runAndCount(record).finally(() => underWay.delete(record.id));
        flight = { outcome, startedAt: performance.now() };
        underWay.set(record.id, flight);
      }
      return inTime(flight);
    },

    close(id) {
      memories.delete(id);
      return store.closeSession(id);
    },

    isClosed: store.isSessionClosed,
  };
}

/** Asks the user pool and checks what it gives. Never rejects. */
async function exchange(
  record: SessionRecord,
  before: Extract<Memory, { state: 'unavailable' }> | null,
  gate: UserPoolGate,
  { userPoolClient, verifier, clock, log }: RefresherDeps,
): Promise<Memory> {
  const { refreshToken } = record.tokens;
  if (refreshToken === null) return { state: 'refused', generation: record.generation };
  let issued = before?.issued ?? null;
  try {
    const signal = AbortSignal.timeout(REFRESH_TIMEOUT_MS);
    issued ??= await gate(signal, () => userPoolClient.refresh({ ...record.tokens, refreshToken }, signal));
    const verified = await verifier.verify(issued, null);
    if (verified.user.sub !== record.user.sub)
      throw new RangeError('the refreshed tokens are of another user');
    log.info({ session: sessionHash(record.id) }, 'tokens refreshed');
    return { state: 'refreshed', record: succeed(record, issued, verified, clock()) };
  } catch (err) {
    const session = sessionHash(record.id);
    if (isRefreshTokenRejected(err)) {
      log.info({ err, session }, 'refresh refused: session ended');
      return { state: 'refused', generation: record.generation };
    }
    log.warn({ err, session }, 'refresh failed: session kept');
    const failures = (before?.failures ?? 0) + 1;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    // With rotation the old refresh token is spent by now: the new ones wait for the keys that check them.
    const keep = err instanceof UpstreamError && err.code === 'KeysUnavailable' ? issued : null;
    return { state: 'unavailable', failures, retryAt: clock() + pause, issued: keep };
  }
}

function succeed(
  record: SessionRecord,
  issued: RefreshedTokens,
  verified: VerifiedTokens,
  now: number,
): SessionRecord {
  return {
    ...record,
    renewedAt: now,
    generation: record.generation + 1,
    tokensExpireAt: verified.expiresAt,
    tokens: {
      accessToken: issued.accessToken,
      idToken: issued.idToken,
      refreshToken: issued.refreshToken ?? record.tokens.refreshToken,
      deviceKey: verified.deviceKey ?? record.tokens.deviceKey,
      clockDrift: verified.clockDrift,
    },
    // Without an ID token nothing new is known of the visitor.
    user: issued.idToken === null ? record.user : verified.user,
  };
}

/** The visitor signed out during the refresh: what it brought is nobody's. */
async function revokeUnwanted(
  next: Memory | { state: 'busy' },
  { userPoolClient, log }: RefresherDeps,
): Promise<void> {
  const refreshToken = next.state === 'refreshed' ? next.record.tokens.refreshToken : null;
  if (refreshToken === null) return;
  await userPoolClient
    .revoke(refreshToken, AbortSignal.timeout(REVOKE_TIMEOUT_MS))
    .catch((err: unknown) => log.warn({ err }, 'refresh token of a closed session not revoked'));
}

/** The outcome if it comes in time. The refresh itself goes on, for those who come after. */
async function inTime({ outcome, startedAt }: Flight): Promise<RefreshOutcome> {
  const patience = Math.max(startedAt + PATIENCE_MS - performance.now(), LATE_PATIENCE_MS);
  const answered = new AbortController();
  const deadline = wait<RefreshOutcome>(patience, { state: 'unavailable' }, { signal: answered.signal });
  const first = await Promise.race([outcome, deadline.catch(() => outcome)]);
  answered.abort();
  return first;
}
