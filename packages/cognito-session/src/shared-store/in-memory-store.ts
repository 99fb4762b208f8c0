import { LRUCache } from 'lru-cache';
import type { Clock } from '#upstream';
import type { SharedStore } from './shared-store.ts';
import { consumeToken } from './token-bucket.ts';

/** About 10 MB. The least recently used key is dropped first. */
const MAX_CLOSED = 100_000;
/** About 8 MB. A dropped bucket is full again. */
const MAX_BUCKETS = 50_000;

/** Creates the store of a machine that shares with no other. Its size is bounded. */
export function createInMemoryStore(clock: Clock): SharedStore {
  const perf = { now: clock };
  const closed = new LRUCache<string, true>({ ...atMost(MAX_CLOSED), ttlResolution: 0, perf });
  const buckets = new LRUCache<string, number>(atMost(MAX_BUCKETS));
  return {
    close: async (key, ttlMs) => void closed.set(key, true, { ttl: ttlMs }),
    isClosed: async (key) => closed.has(key),
    singleFlight: async ({ run }) => ({ state: 'ran', result: await run() }),
    async consume(key, bucket) {
      const { retryAfterMs, fullAt } = consumeToken(buckets.get(key) ?? 0, clock(), bucket);
      if (fullAt !== null) buckets.set(key, fullAt);
      return { retryAfterMs };
    },
    endMarks: null,
    entries: null,
    disconnect() {},
  };
}

/** Limits the number of keys by their size, which is one. The option `max` allocates the memory for all keys at once. */
function atMost(keys: number) {
  return { maxSize: keys, sizeCalculation: () => 1 };
}
