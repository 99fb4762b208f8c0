import { hash } from 'node:crypto';
import type { Clock } from '#upstream';
import { createEndMarks } from './end-marks.ts';
import type { RedisConnection } from './redis-connection.ts';
import { createSingleFlight } from './redis-single-flight.ts';
import type { SharedEntries, SharedStore } from './shared-store.ts';
import type { ConsumeResult, TokenBucket } from './token-bucket.ts';

/** How many closed keys that Redis missed are remembered until it is reachable again. */
const MAX_PENDING = 10_000;
const PUBLISHED_AT_ONCE = 100;

/** What PTTL returns for a key that does not exist. */
const NO_SUCH_KEY = -2;

/** The name in Redis since the first release. Machines of two releases share a store during a deployment. */
const CLOSED = 'revoked';

type RedisStoreDeps = {
  redis: RedisConnection;
  /** Holds the keys that this machine knows as closed, and replaces Redis while it is unreachable. */
  localStore: SharedStore;
  clock: Clock;
  /** The first part of every name in Redis. */
  namespace: string;
};

/** A store over a Redis connection. Redis sees only hashes of keys. */
export class RedisStore implements SharedStore {
  readonly singleFlight: SharedStore['singleFlight'];
  readonly endMarks: SharedStore['endMarks'];
  readonly entries: SharedEntries;
  readonly #redis: RedisConnection;
  readonly #localStore: SharedStore;
  readonly #namespace: string;
  /** Closed keys that Redis missed, with their `ttlMs`. They are published when it is reachable again. */
  readonly #pending = new Map<string, number>();

  constructor({ redis, localStore, clock, namespace }: RedisStoreDeps) {
    this.#redis = redis;
    this.#localStore = localStore;
    this.#namespace = namespace;
    this.singleFlight = createSingleFlight({
      redis,
      clock,
      keysOf: (key) => ({ value: this.#nameOf(key, 'value'), lease: this.#nameOf(key, 'lease') }),
    });
    this.endMarks = createEndMarks(redis, namespace);
    this.entries = {
      put: (...entry) => this.#putEntry(...entry),
      list: (group) => this.#listEntries(group),
      remove: (group, name) => this.#removeEntry(group, name),
    };
  }

  async close(key: string, ttlMs: number): Promise<void> {
    await this.#localStore.close(key, ttlMs);
    await this.#publish(key, ttlMs);
  }

  async #publish(key: string, ttlMs: number): Promise<void> {
    try {
      await this.#redis.execute((client) =>
        client.set(this.#nameOf(key, CLOSED), '1', { expiration: { type: 'PX', value: ttlMs } }),
      );
      this.#pending.delete(key);
    } catch {
      if (this.#pending.size < MAX_PENDING) this.#pending.set(key, ttlMs);
    }
  }

  async isClosed(key: string): Promise<boolean> {
    if (await this.#localStore.isClosed(key)) return true;
    const ttlMs = await this.#redis
      .execute((client) => client.pTTL(this.#nameOf(key, CLOSED)))
      .catch(() => null);
    if (ttlMs === null) return false;
    for (const [missed, missedTtlMs] of [...this.#pending].slice(0, PUBLISHED_AT_ONCE)) {
      void this.#publish(missed, missedTtlMs);
    }
    if (ttlMs === NO_SUCH_KEY) return false;
    // The key stays closed on this machine if Redis becomes unreachable.
    await this.#localStore.close(key, Math.max(1, ttlMs));
    return true;
  }

  async consume(key: string, bucket: TokenBucket): Promise<ConsumeResult> {
    const { burst, perSecond } = bucket;
    const retryAfterMs = await this.#redis
      .execute((client) => client.consumeToken(this.#nameOf(key, 'bucket'), perSecond, burst))
      .catch(() => null);
    return retryAfterMs === null ? this.#localStore.consume(key, bucket) : { retryAfterMs };
  }

  async #putEntry(group: string, name: string, text: string, keepMs: number): Promise<boolean> {
    const key = this.#nameOf(group, 'entries');
    const put = this.#redis.execute((client) =>
      Promise.all([client.hSet(key, name, text), client.pExpire(key, keepMs)]),
    );
    return put.then(
      () => true,
      () => false,
    );
  }

  async #listEntries(group: string): Promise<{ name: string; text: string }[] | null> {
    const key = this.#nameOf(group, 'entries');
    const entries = await this.#redis.execute((client) => client.hGetAll(key)).catch(() => null);
    return entries && Object.entries(entries).map(([name, text]) => ({ name, text }));
  }

  async #removeEntry(group: string, name: string): Promise<void> {
    const key = this.#nameOf(group, 'entries');
    await this.#redis.execute((client) => client.hDel(key, name)).catch(() => {});
  }

  /** The braces are a hash tag: they place all Redis keys of one key on the same node of a cluster. */
  #nameOf(key: string, kind: typeof CLOSED | 'value' | 'lease' | 'bucket' | 'entries'): string {
    return `${this.#namespace}:{${hash('sha256', key, 'base64url')}}:${kind}`;
  }

  disconnect(): void {
    this.#redis.disconnect();
  }
}
