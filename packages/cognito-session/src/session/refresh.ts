/**
 * Refreshes the tokens of sessions, once per session even if many requests on several machines need it at the same
 * time. All state is stored under the random id of the session, so that no session gets the tokens of another.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Clock, type Log, logUpstreamFailure, UpstreamError } from '#upstream';
import type { SessionMetrics } from '../metrics.ts';
import type { Settings } from '../settings.ts';
import type { SharedStore } from '../shared-store/shared-store.ts';
import { isRefreshTokenRejected } from '../user-pool/refresh-rejection.ts';
import type { TokenVerifier, VerifiedTokens } from '../user-pool/token-verifier.ts';
import type { RefreshedTokens, UserPoolClient } from '../user-pool/user-pool-client.ts';
import { type ClosedSessions, storeKey } from './closed-sessions.ts';
import { RecordSealer } from './record-sealer.ts';
import { sessionHash } from './session-hash.ts';
import { isRefreshable, type RefreshableRecord, type SessionRecord } from './session-record.ts';

/**
 * `adopted`: another machine has refreshed the session. `refused`: the user pool ended the session. `unavailable`:
 * continue with the current tokens for now. `closed`: the visitor has signed out, or in again.
 */
type RefreshOutcome =
  | { state: 'refreshed' | 'adopted'; record: SessionRecord }
  | { state: 'refused' | 'unavailable' | 'closed' };

/** What is remembered of a session. `refused` is about the refresh token of this generation and those before it. */
type Result =
  | { state: 'refreshed' | 'adopted'; record: SessionRecord }
  | { state: 'refused'; generation: number }
  | Failure;

/** A failed attempt, which may be repeated from `retryAt` on (milliseconds). */
type Failure = {
  state: 'unavailable';
  failures: number;
  retryAt: number;
  /** New tokens that could not be verified because the user pool's keys were unavailable. */
  unverified: RefreshedTokens | null;
};

type Flight = { outcome: Promise<RefreshOutcome>; startedAt: number };

export type TokenRefreshDeps = {
  env: Pick<Settings, 'session'>;
  userPoolClient: UserPoolClient;
  verifier: TokenVerifier;
  store: SharedStore;
  clock: Clock;
  log: Log;
  metrics: SessionMetrics;
};

/**
 * How long requests wait for a refresh. A request that joins near or after the end of that time waits for one second.
 */
const MAX_WAIT_MS = 4000;
const MIN_WAIT_MS = 1000;

const REFRESH_TIMEOUT_MS = 20_000;
const MIN_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 10_000;

/** At most about 25 MB of tokens. A session that was dropped is refreshed once more. */
const MAX_REMEMBERED = 5000;
/** How long a refresh is remembered, here and in the store, for browsers that did not receive the new cookie. */
const REMEMBERED_MS = 60 * 60 * 1000;

/** The refreshes of a process. It remembers recent results, bounded in number and time. */
export class TokenRefresh {
  /** Refreshes in progress on this machine, by session. */
  readonly #flights = new Map<string, Flight>();
  /** By session. */
  readonly #recent: LRUCache<string, Result>;
  /** The store sees encrypted records under hashed keys. */
  readonly #sealer: RecordSealer;

  constructor(
    private readonly deps: TokenRefreshDeps,
    private readonly closed: ClosedSessions,
  ) {
    this.#recent = new LRUCache({
      max: MAX_REMEMBERED,
      ttl: REMEMBERED_MS,
      ttlResolution: 0,
      perf: { now: deps.clock },
    });
    this.#sealer = new RecordSealer(deps.env.session, 'shared session record');
  }

  /**
   * Returns the newest known record of a session. A browser that did not receive its new cookie, for example because
   * the navigation was canceled, still sends a refresh token that was replaced; its session continues from this record.
   */
  latest(record: SessionRecord): SessionRecord {
    const last = this.#recent.get(record.id);
    const isNewer = last && 'record' in last && last.record.generation > record.generation;
    return isNewer ? last.record : record;
  }

  /**
   * Refreshes the tokens of a session's `latest` record, or joins the refresh in progress. Never rejects. Takes at most
   * 4 seconds, then returns `unavailable`: the refresh itself continues for later requests.
   */
  async refresh(record: RefreshableRecord): Promise<RefreshOutcome> {
    let flight = this.#flights.get(record.id);
    if (!flight) {
      flight = { outcome: this.#run(record), startedAt: performance.now() };
      this.#flights.set(record.id, flight);
    }
    const { outcome, startedAt } = flight;
    const waitMs = Math.max(startedAt + MAX_WAIT_MS - performance.now(), MIN_WAIT_MS);
    const settled = new AbortController();
    const timeout = wait<RefreshOutcome>(waitMs, { state: 'unavailable' }, { signal: settled.signal });
    const first = await Promise.race([outcome, timeout.catch(() => outcome)]);
    settled.abort();
    return first;
  }

  /** One flight, which all concurrent requests of the session share. */
  async #run(record: RefreshableRecord): Promise<RefreshOutcome> {
    try {
      const outcome = await this.#refreshUnlessClosed(record);
      this.deps.metrics.refreshEnded(outcome.state);
      return outcome;
    } finally {
      this.#flights.delete(record.id);
    }
  }

  /** Refreshes, unless a recent result makes that unnecessary. A session that is closed meanwhile stays closed. */
  async #refreshUnlessClosed(record: RefreshableRecord): Promise<RefreshOutcome> {
    if (await this.closed.isClosed(record.id)) return { state: 'closed' };
    const last = this.#recent.get(record.id);
    if (last?.state === 'refused' && last.generation >= record.generation) return last;
    if (last?.state === 'unavailable' && this.deps.clock() < last.retryAt) return last;
    const result = await this.#refreshOnce(record, last?.state === 'unavailable' ? last : null);
    if (await this.closed.isClosed(record.id)) {
      if (result && 'record' in result && isRefreshable(result.record)) await this.#revoke(result.record);
      return { state: 'closed' };
    }
    if (!result) return { state: 'unavailable' };
    this.#recent.set(record.id, result);
    return result;
  }

  /**
   * Makes one attempt among all machines, or adopts the record that another machine has shared. Returns null if another
   * machine is still refreshing after 20 seconds.
   */
  async #refreshOnce(record: RefreshableRecord, previous: Failure | null): Promise<Result | null> {
    const attempt = () => this.#attempt(record, previous);
    const flight = await this.deps.store.singleFlight<Result>({
      key: storeKey(record.id),
      version: record.generation,
      run: attempt,
      share: async (result) =>
        'record' in result
          ? { version: result.record.generation, text: await this.#seal(result.record) }
          : null,
      ttlMs: REMEMBERED_MS,
    });
    if (flight.state === 'ran') return flight.result;
    if (flight.state === 'timed-out') return null;
    const successor = await this.#openSuccessor(flight.text, record);
    return successor ? { state: 'adopted', record: successor } : attempt();
  }

  /** Requests new tokens from the user pool and verifies them, after `previous` if that failed. Never rejects. */
  async #attempt(record: RefreshableRecord, previous: Failure | null): Promise<Result> {
    const { userPoolClient, verifier, clock, log } = this.deps;
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
      const retryAt = clock() + Math.min(MIN_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
      // With rotation, the old refresh token is already used up: new tokens must not be lost because the keys to verify
      // them were unavailable. Any other error means that they are invalid.
      const unverified = err instanceof UpstreamError ? issued : null;
      return { state: 'unavailable', failures, retryAt, unverified };
    }
  }

  #seal(record: SessionRecord): Promise<string> {
    return this.#sealer.seal(record, this.deps.clock() + REMEMBERED_MS);
  }

  /** Returns null unless the text is a newer record of the same session, sealed with one of this site's secrets. */
  async #openSuccessor(text: string, { id, user, generation }: SessionRecord): Promise<SessionRecord | null> {
    const record = await this.#sealer.open(text, this.deps.clock());
    const isSuccessor = record?.id === id && record.user.sub === user.sub && record.generation > generation;
    return isSuccessor ? record : null;
  }

  /** Revokes the new refresh token of a session that was closed during its refresh. */
  async #revoke({ id, tokens }: RefreshableRecord): Promise<void> {
    await this.closed.revoke({ id, refreshToken: tokens.refreshToken });
  }

  /** Closes the session on every machine. A refresh in progress cannot restore it. */
  close(id: string): Promise<void> {
    this.#recent.delete(id);
    return this.closed.close(id);
  }
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
    user: issued.idToken === null ? { ...record.user, groups: verified.user.groups } : verified.user,
  };
}
