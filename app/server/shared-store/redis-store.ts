import { hash } from 'node:crypto';
import type { Clock } from '../resilience/clock.ts';
import { createEndMarks } from './end-marks.ts';
import type { RedisConnection } from './redis-connection.ts';
import { createSingleFlight } from './redis-single-flight.ts';
import type { SharedStore } from './shared-store.ts';

/** How many revocations that Redis missed are remembered until it is reachable again. */
const MAX_PENDING_REVOCATIONS = 10_000;
const PUBLISHED_AT_ONCE = 100;

type RedisStoreDeps = {
  redis: RedisConnection;
  /** Holds this machine's own revocations, and replaces Redis while it is unreachable. */
  localStore: SharedStore;
  clock: Clock;
};

/** Creates a store over a Redis connection. Redis sees only hashes of keys. */
export function createRedisStore({ redis, localStore, clock }: RedisStoreDeps): SharedStore {
  return {
    ...createRevocations({ redis, localStore }),

    singleFlight: createSingleFlight({
      redis,
      clock,
      keysOf: (key) => ({ value: redisKey(key, 'value'), lease: redisKey(key, 'lease') }),
    }),

    async consume(key, bucket) {
      const { burst, perSecond } = bucket;
      const retryAfterMs = await redis
        .execute((client) => client.consumeToken(redisKey(key, 'bucket'), perSecond, burst))
        .catch(() => null);
      return retryAfterMs === null ? localStore.consume(key, bucket) : { retryAfterMs };
    },

    endMarks: createEndMarks(redis),
    close: redis.close,
  };
}

/** Revocations in Redis. Those that Redis missed are published when it is reachable again. */
function createRevocations({
  redis,
  localStore,
}: Omit<RedisStoreDeps, 'clock'>): Pick<SharedStore, 'revoke' | 'isRevoked'> {
  const pendingRevocations = new Map<string, number>();

  const publishRevocation = async (key: string, ttlMs: number): Promise<void> => {
    try {
      await redis.execute((client) =>
        client.set(redisKey(key, 'revoked'), '1', { expiration: { type: 'PX', value: ttlMs } }),
      );
      pendingRevocations.delete(key);
    } catch {
      if (pendingRevocations.size < MAX_PENDING_REVOCATIONS) pendingRevocations.set(key, ttlMs);
    }
  };

  return {
    async revoke(key, ttlMs) {
      await localStore.revoke(key, ttlMs);
      await publishRevocation(key, ttlMs);
    },

    async isRevoked(key) {
      if (await localStore.isRevoked(key)) return true;
      const ttlMs = await redis.execute((client) => client.pTTL(redisKey(key, 'revoked'))).catch(() => null);
      if (ttlMs === null) return false;
      for (const [missed, missedTtlMs] of [...pendingRevocations].slice(0, PUBLISHED_AT_ONCE)) {
        void publishRevocation(missed, missedTtlMs);
      }
      if (ttlMs === NO_SUCH_KEY) return false;
      // The revocation stays known on this machine if Redis becomes unreachable.
      await localStore.revoke(key, Math.max(1, ttlMs));
      return true;
    },
  };
}

/** What PTTL returns for a key that does not exist. */
const NO_SUCH_KEY = -2;

/** The braces are a hash tag: they place all Redis keys of one key on the same node of a cluster. */
function redisKey(key: string, kind: 'revoked' | 'value' | 'lease' | 'bucket'): string {
  return `tenfold:{${hash('sha256', key, 'base64url')}}:${kind}`;
}
