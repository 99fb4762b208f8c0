import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RedisServer, redisProgram, startRedis } from '../../../../tests/support/processes/redis.ts';
import { createRedisStores } from '../../../../tests/support/processes/redis-stores.ts';
import { settlesWithin } from '../../../../tests/support/timing/settles-within.ts';
import type { SharedFlight } from '../../src/shared-store/shared-store.ts';
import { consumeToken } from '../../src/shared-store/token-bucket.ts';

const MINUTE = 60_000;

describe.skipIf(redisProgram === null /* no store to share */)('the Redis store', () => {
  let redis: RedisServer;
  const stores = createRedisStores();
  const openStore = () => stores.open(redis.url);
  const readers: { destroy(): void }[] = [];

  /** Opens a client that sees what the stores have written. */
  async function openReader() {
    const reader = await createClient({ url: redis.url }).connect();
    readers.push(reader);
    return reader;
  }

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(() => {
    stores.closeAll();
    for (const reader of readers.splice(0)) reader.destroy();
  });
  afterAll(() => redis?.kill());

  let flights = 0;
  const newKey = () => `flight ${++flights}`;

  /** A flight that counts its runs, takes as long as `duration` and shares its next version. */
  function countedFlight(key: string, version: number, duration: Promise<void> = Promise.resolve()) {
    let runs = 0;
    const flight: SharedFlight<string> = {
      key,
      version,
      ttlMs: MINUTE,
      async run() {
        runs += 1;
        await duration;
        return `result ${version + 1}`;
      },
      share: async (result) => ({ version: version + 1, text: `shared ${result}` }),
    };
    return { flight, runs: () => runs };
  }

  it('runs one of several concurrent flights and returns its value to the others', async () => {
    const machines = await Promise.all(Array.from({ length: 4 }, openStore));
    const duration = new Promise<void>((resolve) => setTimeout(resolve, 200));
    const { flight, runs } = countedFlight(newKey(), 0, duration);
    const outcomes = await Promise.all(machines.map((machine) => machine.singleFlight(flight)));
    expect(runs()).toBe(1);
    expect(outcomes.filter(({ state }) => state === 'ran')).toEqual([{ state: 'ran', result: 'result 1' }]);
    const others = outcomes.filter(({ state }) => state !== 'ran');
    expect(others).toEqual(Array(3).fill({ state: 'found', text: 'shared result 1' }));
  });

  it('returns the newest stored value for an older version and runs for the newest version', async () => {
    const [one, two] = [await openStore(), await openStore()];
    const key = newKey();
    await one.singleFlight(countedFlight(key, 0).flight);
    await one.singleFlight(countedFlight(key, 1).flight);
    const { flight, runs } = countedFlight(key, 0);
    expect(await two.singleFlight(flight)).toEqual({ state: 'found', text: 'shared result 2' });
    expect(runs()).toBe(0);
    const newest = countedFlight(key, 2);
    await two.singleFlight(newest.flight);
    expect(newest.runs()).toBe(1);
  });

  /** Runs an action while a flight of `key` holds its lease. The action gets a reader and the key of the lease in Redis. */
  async function duringFlight(
    key: string,
    action: (reader: Awaited<ReturnType<typeof openReader>>, lease: string) => Promise<void>,
  ): Promise<void> {
    const store = await openStore();
    const reader = await openReader();
    let settle = () => {};
    const { flight } = countedFlight(key, 0, new Promise<void>((resolve) => (settle = resolve)));
    const ended = store.singleFlight(flight);
    const leases = async () => (await reader.keys('*')).filter((name) => name.endsWith(':lease'));
    await expect.poll(leases).toHaveLength(1);
    const [lease = ''] = await leases();
    await action(reader, lease);
    settle();
    expect(await ended).toEqual({ state: 'ran', result: 'result 1' });
  }

  it('renews the lease of a flight that takes long', async () => {
    await duringFlight(newKey(), async (reader, lease) => {
      let last = await reader.pTTL(lease);
      await vi.waitFor(
        async () => {
          const remaining = await reader.pTTL(lease);
          const isRenewed = remaining > last;
          last = remaining;
          expect(isRenewed).toBe(true);
        },
        { timeout: 60_000, interval: 100 },
      );
    });
  });

  it('neither renews nor deletes a lease that another machine has taken over', async () => {
    await duringFlight(newKey(), async (reader, lease) => {
      await reader.set(lease, 'another machine', { expiration: { type: 'PX', value: MINUTE } });
      const scripts = await scriptCalls(reader);
      await expect.poll(() => scriptCalls(reader)).toBeGreaterThan(scripts);
      expect(await reader.pTTL(lease)).toBeGreaterThan(MINUTE / 2);
    });
    const reader = await openReader();
    const leases = (await reader.keys('*')).filter((name) => name.endsWith(':lease'));
    expect(await Promise.all(leases.map((lease) => reader.get(lease)))).toEqual(['another machine']);
    await reader.del(leases);
  });

  it('ends the renewal with the flight', async () => {
    await duringFlight(newKey(), async () => {});
    const reader = await openReader();
    const scripts = await scriptCalls(reader);
    await wait(2000);
    expect(await scriptCalls(reader)).toBe(scripts);
  });

  /** How many scripts Redis has run. */
  async function scriptCalls(reader: Awaited<ReturnType<typeof openReader>>): Promise<number> {
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await reader.info('commandstats'))?.[1] ?? 0);
  }

  it('does not share a failed flight: the next machine runs', async () => {
    const [one, two] = [await openStore(), await openStore()];
    const key = newKey();
    const { flight, runs } = countedFlight(key, 0);
    expect(await one.singleFlight({ ...flight, share: async () => null })).toEqual({
      state: 'ran',
      result: 'result 1',
    });
    const failing = { ...flight, run: () => Promise.reject(new Error('a mistake')) };
    await expect(one.singleFlight(failing)).rejects.toThrow('a mistake');
    expect(await two.singleFlight(flight)).toEqual({ state: 'ran', result: 'result 1' });
    expect(runs()).toBe(2);
  });

  it('closes a key on every machine, also on one that loses the connection afterwards', async () => {
    const [one, two] = [await openStore(), await openStore()];
    await one.close('closed', MINUTE);
    expect(await two.isClosed('closed')).toBe(true);
    expect(await two.isClosed('open')).toBe(false);
    two.disconnect();
    expect(await two.isClosed('closed')).toBe(true);
  });

  it('knows keys that a machine with an earlier version of the site has closed, and that machine knows its own', async () => {
    const [store, reader] = [await openStore(), await openReader()];
    const earlierName = (key: string) => `tenfold:{${hash('sha256', key, 'base64url')}}:revoked`;
    await reader.set(earlierName('theirs'), '1', { expiration: { type: 'PX', value: MINUTE } });
    expect(await store.isClosed('theirs')).toBe(true);
    await store.close('ours', MINUTE);
    expect(await reader.exists(earlierName('ours'))).toBe(1);
  });

  it('consumes tokens from one bucket for all machines, by the same rules as one machine', async () => {
    const [one, two] = [await openStore(), await openStore()];
    // Slow enough that the time that the test takes adds no token.
    const bucket = { burst: 5, perSecond: 0.001 };
    let fullAt = 0;
    const startedAt = performance.now();
    for (let request = 0; request < 8; request++) {
      const local = consumeToken(fullAt, 0, bucket);
      fullAt = local.fullAt ?? fullAt;
      const shared = await (request % 2 ? one : two).consume('ada', bucket);
      expect(shared.retryAfterMs > 0).toBe(local.retryAfterMs > 0);
      // Meanwhile the shared bucket fills, and the clock of the local one stands still.
      const elapsed = performance.now() - startedAt;
      expect(Math.abs(shared.retryAfterMs - local.retryAfterMs)).toBeLessThanOrEqual(elapsed + 1);
    }
  });

  it('stores only hashes of keys', async () => {
    const store = await openStore();
    const keys = { flight: newKey(), closed: 'a closed key', bucket: 'the key of a bucket' };
    await store.singleFlight(countedFlight(keys.flight, 0).flight);
    await store.close(keys.closed, MINUTE);
    await store.consume(keys.bucket, { burst: 1, perSecond: 1 });
    const stored = await (await openReader()).keys('*');
    expect(stored.some((key) => key.endsWith(':value'))).toBe(true);
    for (const key of Object.values(keys)) expect(stored.join('\n')).not.toContain(key);
  });

  it('limits the waiting time while Redis hangs and publishes closed keys when it responds again', async () => {
    const [one, two] = [await openStore(), await openStore()];
    redis.freeze();
    try {
      const readFiftyTimes = async () => {
        for (let request = 0; request < 50; request++) expect(await one.isClosed('s')).toBe(false);
      };
      // Three commands wait for 200 ms, then one per second does.
      await settlesWithin(5000, readFiftyTimes());
      const { flight, runs } = countedFlight(newKey(), 0);
      expect(await one.singleFlight(flight)).toEqual({ state: 'ran', result: 'result 1' });
      expect(runs()).toBe(1);
      await one.close('while-hanging', MINUTE);
      expect(stores.lines().filter((line) => line.includes('circuit open'))).toHaveLength(1);
    } finally {
      redis.thaw();
    }
    await vi.waitFor(
      async () => {
        await one.isClosed('anything');
        expect(await two.isClosed('while-hanging')).toBe(true);
      },
      { timeout: 60_000, interval: 200 },
    );
  });

  it('reads the marks of ended sessions as soon as a new process is connected', async () => {
    await (await openReader()).zAdd('tenfold:{end-marks}', { value: 'a-user', score: 7 });
    const started = stores.openUnconnected(redis.url);
    expect(await started.endMarks?.since(0)).toEqual([{ name: 'a-user', at: 7 }]);
    const unconnected = stores.openUnconnected('redis://127.0.0.1:1');
    expect(await unconnected.endMarks?.since(0)).toBeNull();
  });

  it('works without Redis and logs that once, without the address', async () => {
    const password = 'pa55-that-is-secret';
    const store = stores.openUnconnected(`redis://user:${password}@127.0.0.1:1`);
    const isUnreachable = (line: string) => line.includes('shared store unreachable');
    await expect.poll(() => stores.lines().some(isUnreachable)).toBe(true);
    const { flight } = countedFlight(newKey(), 0);
    expect(await store.singleFlight(flight)).toEqual({ state: 'ran', result: 'result 1' });
    await store.close('mine', MINUTE);
    expect(await store.isClosed('mine')).toBe(true);
    expect(stores.lines().filter(isUnreachable)).toHaveLength(1);
    expect(stores.lines().join('')).not.toMatch(new RegExp(`${password}|127\\.0\\.0\\.1`));
  });
});
