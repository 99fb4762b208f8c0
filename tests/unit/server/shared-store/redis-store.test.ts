import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SharedFlight } from '../../../../app/server/shared-store/shared-store.ts';
import { consumeToken } from '../../../../app/server/shared-store/token-bucket.ts';
import { type RedisServer, redisProgram, startRedis } from '../../../support/processes/redis.ts';
import { createRedisStores } from '../../../support/processes/redis-stores.ts';

const MINUTE = 60_000;

describe.skipIf(redisProgram === null /* no store to share */)('the Redis store', () => {
  let redis: RedisServer;
  const stores = createRedisStores();
  const openStore = () => stores.open(redis.url);

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(() => stores.closeAll());
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

  it('revokes a key on every machine, also on one that loses the connection afterwards', async () => {
    const [one, two] = [await openStore(), await openStore()];
    await one.revoke('revoked', MINUTE);
    expect(await two.isRevoked('revoked')).toBe(true);
    expect(await two.isRevoked('valid')).toBe(false);
    two.close();
    expect(await two.isRevoked('revoked')).toBe(true);
  });

  it('consumes tokens from one bucket for all machines, by the same rules as one machine', async () => {
    const [one, two] = [await openStore(), await openStore()];
    const bucket = { burst: 5, perSecond: 0.1 };
    let fullAt = 0;
    for (let request = 0; request < 8; request++) {
      const local = consumeToken(fullAt, 0, bucket);
      fullAt = local.fullAt ?? fullAt;
      const shared = await (request % 2 ? one : two).consume('ada', bucket);
      expect(shared.retryAfterMs > 0).toBe(local.retryAfterMs > 0);
      expect(Math.abs(shared.retryAfterMs - local.retryAfterMs)).toBeLessThan(3000);
    }
  });

  it('stores only hashes of keys', async () => {
    const store = await openStore();
    const keys = { flight: newKey(), revoked: 'a revoked key', bucket: 'the key of a bucket' };
    await store.singleFlight(countedFlight(keys.flight, 0).flight);
    await store.revoke(keys.revoked, MINUTE);
    await store.consume(keys.bucket, { burst: 1, perSecond: 1 });
    const reader = await createClient({ url: redis.url }).connect();
    const stored = await reader.keys('*');
    reader.destroy();
    expect(stored.some((key) => key.endsWith(':value'))).toBe(true);
    for (const key of Object.values(keys)) expect(stored.join('\n')).not.toContain(key);
  });

  it('limits the waiting time while Redis hangs and publishes revocations when it responds again', async () => {
    const [one, two] = [await openStore(), await openStore()];
    redis.freeze();
    try {
      const startedAt = performance.now();
      for (let request = 0; request < 50; request++) expect(await one.isRevoked('s')).toBe(false);
      // Three commands wait for 200 ms, then one per second does.
      expect(performance.now() - startedAt).toBeLessThan(5000);
      const { flight, runs } = countedFlight(newKey(), 0);
      expect(await one.singleFlight(flight)).toEqual({ state: 'ran', result: 'result 1' });
      expect(runs()).toBe(1);
      await one.revoke('while-hanging', MINUTE);
      expect(stores.lines().filter((line) => line.includes('circuit open'))).toHaveLength(1);
    } finally {
      redis.thaw();
    }
    await vi.waitFor(
      async () => {
        await one.isRevoked('anything');
        expect(await two.isRevoked('while-hanging')).toBe(true);
      },
      { timeout: 10_000, interval: 200 },
    );
  }, 30_000);

  it('works without Redis and logs that once, without the address', async () => {
    const password = 'pa55-that-is-secret';
    const store = stores.openUnconnected(`redis://user:${password}@127.0.0.1:1`);
    const isUnreachable = (line: string) => line.includes('shared store unreachable');
    await vi.waitFor(() => expect(stores.lines().some(isUnreachable)).toBe(true), { timeout: 10_000 });
    const { flight } = countedFlight(newKey(), 0);
    expect(await store.singleFlight(flight)).toEqual({ state: 'ran', result: 'result 1' });
    await store.revoke('mine', MINUTE);
    expect(await store.isRevoked('mine')).toBe(true);
    expect(stores.lines().filter(isUnreachable)).toHaveLength(1);
    expect(stores.lines().join('')).not.toMatch(new RegExp(`${password}|127\\.0\\.0\\.1`));
  });
});
