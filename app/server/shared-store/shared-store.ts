/**
 * What the machines of the site have to agree on: who signed out, who is refreshing a session, and how often a visitor
 * has asked. One machine agrees with itself; several agree through Valkey or Redis.
 */
import { LRUCache } from 'lru-cache';
import type { Env } from '../config/env.ts';
import type { Log } from '../observability/log.ts';
import { type Metrics, noMetrics } from '../observability/metrics.ts';
import { type RateLimit, type RateVerdict, takeOne } from '../rate-limit/rate-limit.ts';
import type { Clock } from '../resilience/clock.ts';
import type { SessionRecord } from '../session/session-record.ts';
import { connectToRedis } from './redis-connection.ts';
import { createRedisStore } from './redis-store.ts';

/** What a refresh came to. A record is what the others take over; any other outcome is each machine's own. */
export type Refreshed = { state: 'refreshed'; record: SessionRecord };

/** Nothing here rejects because the store fails: without it, each machine goes on by itself. */
export type SharedStore = {
  /** Marks a session as signed out, for a day: longer than any of its tokens but the revoked one lives. */
  closeSession(id: string): Promise<void>;
  isSessionClosed(id: string): Promise<boolean>;
  /**
   * What `refresh` gives, or what it gave on another machine: of those that ask at once, one runs it and the others
   * wait. `busy` after 20 s of waiting. Rejects when `refresh` does. Calls on this machine are not joined.
   */
  refreshOnce<Outcome>(
    record: SessionRecord,
    refresh: () => Promise<Refreshed | Outcome>,
  ): Promise<Refreshed | Outcome | { state: 'busy' }>;
  /** Takes one from the bucket of `key` under `limit`. */
  take(key: string, limit: RateLimit): Promise<RateVerdict>;
  /** Lets go of the connection, if there is one. */
  disconnect(): void;
};

/** How long a sign-out is remembered, in milliseconds. An access token can live for a day at most. */
export const CLOSED_MS = 24 * 60 * 60 * 1000;

/** About 10 MB. Of a session that is pushed out, the tokens are revoked all the same. */
const MAX_CLOSED = 100_000;
/** About 8 MB. A visitor who is pushed out has a full bucket again. */
const MAX_BUCKETS = 50_000;

type SharedStoreDeps = {
  env: Pick<Env, 'redisUrl' | 'session'>;
  clock: Clock;
  log: Log;
  metrics?: Metrics;
};

/** The store that `env` names, or this machine's own where it names none. It connects in the background. */
export function createSharedStore({ env, clock, log, metrics = noMetrics }: SharedStoreDeps): SharedStore {
  const alone = createSingleMachineStore(clock);
  if (env.redisUrl === null) return alone;
  const redis = connectToRedis(env.redisUrl, { clock, log, metrics });
  return createRedisStore({ redis, alone, secrets: env.session.secrets, clock });
}

/** The store of a machine that is alone, or that has lost the others. Bounded in number and time. */
export function createSingleMachineStore(clock: Clock): SharedStore {
  const perf = { now: clock };
  const closed = new LRUCache<string, true>({ max: MAX_CLOSED, ttl: CLOSED_MS, ttlResolution: 0, perf });
  const buckets = new LRUCache<string, number>({ max: MAX_BUCKETS });
  return {
    closeSession: async (id) => void closed.set(id, true),
    isSessionClosed: async (id) => closed.has(id),
    refreshOnce: (_record, refresh) => refresh(),
    async take(key, limit) {
      const bucket = `${limit.name} ${key}`;
      const { retryAfterMs, fullAt } = takeOne(buckets.get(bucket) ?? 0, clock(), limit);
      if (fullAt !== null) buckets.set(bucket, fullAt);
      return { retryAfterMs };
    },
    disconnect() {},
  };
}
