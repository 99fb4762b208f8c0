import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SessionRecord } from '../../../../app/server/session/session-record.ts';
import { createSharedRefresh } from '../../../../app/server/session/shared-refresh.ts';
import { type RedisServer, redisProgram, startRedis } from '../../../support/processes/redis.ts';
import { createRedisStores } from '../../../support/processes/redis-stores.ts';
import { sessionEnv } from '../../../support/sign-in/session-harness.ts';

const TOKEN = 'a-token-that-only-this-site-may-read';

describe.skipIf(redisProgram === null /* no store to share */)('a refresh on several machines', () => {
  let redis: RedisServer;
  const stores = createRedisStores();

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(() => stores.closeAll());
  afterAll(() => redis?.kill());

  async function openMachine(secrets = sessionEnv.secrets) {
    return createSharedRefresh({ store: await stores.open(redis.url), secrets, clock: Date.now });
  }

  let sessions = 0;
  const newRecord = (): SessionRecord => ({
    id: `session-${++sessions}`,
    startedAt: 0,
    renewedAt: 0,
    refreshedAt: 0,
    generation: 0,
    tokensExpireAt: 0,
    tokens: { accessToken: TOKEN, idToken: null, refreshToken: TOKEN, deviceKey: null, clockDrift: 0 },
    user: { sub: 'the-sub-of-the-user', email: null, name: null },
  });
  const next = (record: SessionRecord) => ({ ...record, generation: record.generation + 1 });

  /** A refresh that counts its runs and takes as long as `duration`. */
  function countedRefresh(record: SessionRecord, duration: Promise<void> = Promise.resolve()) {
    let runs = 0;
    return {
      runs: () => runs,
      refresh: async () => {
        runs += 1;
        await duration;
        return { state: 'refreshed' as const, record: next(record) };
      },
    };
  }

  it('runs once and gives its record to all machines', async () => {
    const machines = await Promise.all(Array.from({ length: 4 }, () => openMachine()));
    const record = newRecord();
    const { refresh, runs } = countedRefresh(record, new Promise((resolve) => setTimeout(resolve, 200)));
    const outcomes = await Promise.all(machines.map((machine) => machine.refreshOnce(record, refresh)));
    expect(runs()).toBe(1);
    for (const outcome of outcomes) expect(outcome).toEqual({ state: 'refreshed', record: next(record) });
  });

  it('returns the record of an earlier refresh for an older cookie', async () => {
    const [one, two] = [await openMachine(), await openMachine()];
    const record = newRecord();
    await one.refreshOnce(record, countedRefresh(record).refresh);
    await one.refreshOnce(next(record), countedRefresh(next(record)).refresh);
    const { refresh, runs } = countedRefresh(record);
    expect(await two.refreshOnce(record, refresh)).toEqual({
      state: 'refreshed',
      record: next(next(record)),
    });
    expect(runs()).toBe(0);
    const newest = countedRefresh(next(next(record)));
    await two.refreshOnce(next(next(record)), newest.refresh);
    expect(newest.runs()).toBe(1);
  });

  it('is not shared when it fails: the next machine refreshes', async () => {
    const [one, two] = [await openMachine(), await openMachine()];
    const record = newRecord();
    const failed = { state: 'unavailable' as const, failures: 1, retryAt: 0, unverified: null };
    expect(await one.refreshOnce(record, async () => failed)).toEqual(failed);
    await expect(one.refreshOnce(record, () => Promise.reject(new Error('a mistake')))).rejects.toThrow(
      'a mistake',
    );
    const { refresh, runs } = countedRefresh(record);
    expect(await two.refreshOnce(record, refresh)).toMatchObject({ state: 'refreshed' });
    expect(runs()).toBe(1);
  });

  it('reports a closed session on every machine', async () => {
    const [one, two] = [await openMachine(), await openMachine()];
    await one.close('closed-one');
    expect(await two.isClosed('closed-one')).toBe(true);
    expect(await two.isClosed('open-one')).toBe(false);
  });

  it('stores no token, session id or user in readable form', async () => {
    const one = await openMachine();
    const record = newRecord();
    await one.refreshOnce(record, countedRefresh(record).refresh);
    await one.close(record.id);
    const reader = await createClient({ url: redis.url }).connect();
    const keys = await reader.keys('*');
    const strings = await Promise.all(keys.map((key) => reader.get(key)));
    reader.destroy();
    const all = [...keys, ...strings].join('\n');
    expect(keys.some((key) => key.endsWith(':value'))).toBe(true);
    for (const secret of [TOKEN, record.id, record.user.sub, Buffer.from(TOKEN).toString('base64url')]) {
      expect(all).not.toContain(secret);
    }
  });

  it('ignores a record that was sealed with another secret', async () => {
    const [one, stranger] = [
      await openMachine(),
      await openMachine(['another-9f3kd02mzQpwL4vX8hTyRu6BnCsE']),
    ];
    const record = newRecord();
    await stranger.refreshOnce(record, countedRefresh(record).refresh);
    const { refresh, runs } = countedRefresh(record);
    expect(await one.refreshOnce(record, refresh)).toMatchObject({ state: 'refreshed' });
    expect(runs()).toBe(1);
  });
});
