import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../../../app/server/observability/log.ts';
import { noMetrics } from '../../../../app/server/observability/metrics.ts';
import { takeOne } from '../../../../app/server/rate-limit/rate-limit.ts';
import type { SessionRecord } from '../../../../app/server/session/session-record.ts';
import { connectToRedis } from '../../../../app/server/shared-store/redis-connection.ts';
import { createSharedStore, type SharedStore } from '../../../../app/server/shared-store/shared-store.ts';
import { type RedisServer, redisProgram, startRedis } from '../../../support/processes/redis.ts';
import { sessionEnv } from '../../../support/sign-in/session-harness.ts';

const TOKEN = 'a-token-that-nobody-else-may-read';
const secrets = sessionEnv.secrets;

describe.skipIf(redisProgram === null /* no store to share */)('what machines share', () => {
  let redis: RedisServer;
  let lines: string[] = [];
  const opened: SharedStore[] = [];
  const log = createLog('debug', { write: (line) => void lines.push(line) });

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(() => {
    for (const store of opened.splice(0)) store.disconnect();
    lines = [];
  });
  afterAll(() => redis?.kill());

  /** The store of another machine, connected. */
  async function openMachine(
    changes: { secrets?: typeof secrets; redisUrl?: string } = {},
  ): Promise<SharedStore> {
    const session = { ...sessionEnv, secrets: changes.secrets ?? secrets };
    const env = { session, redisUrl: changes.redisUrl ?? redis.url };
    const said: string[] = [];
    const log = createLog('debug', { write: (line) => void [said, lines].map((all) => all.push(line)) });
    const store = createSharedStore({ env, clock: Date.now, log });
    opened.push(store);
    if (!changes.redisUrl) {
      await vi.waitFor(() => expect(said.join('')).toContain('shared store connected'));
    }
    return store;
  }

  let sessions = 0;
  const newRecord = (): SessionRecord => ({
    id: `session-${++sessions}`,
    startedAt: 0,
    renewedAt: 0,
    generation: 0,
    tokensExpireAt: 0,
    tokens: { accessToken: TOKEN, idToken: null, refreshToken: TOKEN, deviceKey: null, clockDrift: 0 },
    user: { sub: 'the-user-themselves', email: null, name: null },
  });
  const next = (record: SessionRecord) => ({ ...record, generation: record.generation + 1 });

  /** A refresh that counts its runs and takes as long as the test lets it. */
  function countedRefresh(record: SessionRecord, gate: Promise<void> = Promise.resolve()) {
    let runs = 0;
    return {
      runs: () => runs,
      refresh: async () => {
        runs += 1;
        await gate;
        return { state: 'refreshed' as const, record: next(record) };
      },
    };
  }

  it('is one refresh, whose record all of them get', async () => {
    const machines = await Promise.all(Array.from({ length: 4 }, () => openMachine()));
    const record = newRecord();
    const { refresh, runs } = countedRefresh(record, new Promise((resolve) => setTimeout(resolve, 200)));
    const outcomes = await Promise.all(machines.map((machine) => machine.refreshOnce(record, refresh)));
    expect(runs()).toBe(1);
    for (const outcome of outcomes) expect(outcome).toEqual({ state: 'refreshed', record: next(record) });
  });

  it('is the record of an earlier refresh, for who comes with an older cookie', async () => {
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

  it('is not a failure: the next machine tries for itself', async () => {
    const [one, two] = [await openMachine(), await openMachine()];
    const record = newRecord();
    expect(await one.refreshOnce(record, async () => ({ state: 'unavailable' }))).toEqual({
      state: 'unavailable',
    });
    await expect(one.refreshOnce(record, () => Promise.reject(new Error('a mistake')))).rejects.toThrow(
      'a mistake',
    );
    const { refresh, runs } = countedRefresh(record);
    expect(await two.refreshOnce(record, refresh)).toMatchObject({ state: 'refreshed' });
    expect(runs()).toBe(1);
  });

  it('is a sign-out, also for a machine that then loses the store', async () => {
    const [one, two] = [await openMachine(), await openMachine()];
    await one.closeSession('closed-one');
    expect(await two.isSessionClosed('closed-one')).toBe(true);
    expect(await two.isSessionClosed('open-one')).toBe(false);
    two.disconnect();
    expect(await two.isSessionClosed('closed-one')).toBe(true);
  });

  it('is counted as one machine counts', async () => {
    const [one, two] = [await openMachine(), await openMachine()];
    const limit = { name: 'test', burst: 5, perSecond: 0.1 };
    let fullAt = 0;
    for (let request = 0; request < 8; request++) {
      const alone = takeOne(fullAt, 0, limit);
      fullAt = alone.fullAt ?? fullAt;
      const shared = await (request % 2 ? one : two).take('ada', limit);
      expect(shared.retryAfterMs > 0).toBe(alone.retryAfterMs > 0);
      expect(Math.abs(shared.retryAfterMs - alone.retryAfterMs)).toBeLessThan(3000);
    }
  });

  it('tells nothing to who reads the store', async () => {
    const one = await openMachine();
    const record = newRecord();
    await one.refreshOnce(record, countedRefresh(record).refresh);
    await one.closeSession(record.id);
    const reader = await createClient({ url: redis.url }).connect();
    const keys = await reader.keys('*');
    const strings = await Promise.all(keys.map((key) => reader.get(key)));
    reader.destroy();
    const all = [...keys, ...strings].join('\n');
    expect(keys.some((key) => key.endsWith(':successor'))).toBe(true);
    for (const secret of [TOKEN, record.id, record.user.sub, Buffer.from(TOKEN).toString('base64url')]) {
      expect(all).not.toContain(secret);
    }
  });

  it('is nothing that somebody else put there', async () => {
    const [one, stranger] = [
      await openMachine(),
      await openMachine({ secrets: ['another-9f3kd02mzQpwL4vX8hTyRu6BnCsE'] }),
    ];
    const record = newRecord();
    await stranger.refreshOnce(record, countedRefresh(record).refresh);
    const { refresh, runs } = countedRefresh(record);
    expect(await one.refreshOnce(record, refresh)).toMatchObject({ state: 'refreshed' });
    expect(runs()).toBe(1);
  });

  it('is waited for in bounds while the store hangs, and is there again when it does not', async () => {
    const [one, two] = [await openMachine(), await openMachine()];
    redis.freeze();
    try {
      const startedAt = performance.now();
      for (let request = 0; request < 50; request++) expect(await one.isSessionClosed('s')).toBe(false);
      // Three that wait for 200 ms, and what is tried once a second.
      expect(performance.now() - startedAt).toBeLessThan(5000);
      const record = newRecord();
      const { refresh, runs } = countedRefresh(record);
      expect(await one.refreshOnce(record, refresh)).toMatchObject({ state: 'refreshed' });
      expect(runs()).toBe(1);
      await one.closeSession('while-away');
      expect(lines.filter((line) => line.includes('circuit open'))).toHaveLength(1);
    } finally {
      redis.thaw();
    }
    await vi.waitFor(
      async () => {
        await one.isSessionClosed('anything');
        expect(await two.isSessionClosed('while-away')).toBe(true);
      },
      { timeout: 10_000, interval: 200 },
    );
  }, 30_000);

  it('is nothing where there is no store: one line says so, without its address', async () => {
    const password = 'pa55-that-is-secret';
    const lonely = await openMachine({ redisUrl: `redis://user:${password}@127.0.0.1:1` });
    await vi.waitFor(() => expect(lines.join('')).toContain('shared store lost'));
    const record = newRecord();
    expect(await lonely.refreshOnce(record, countedRefresh(record).refresh)).toMatchObject({
      state: 'refreshed',
    });
    await lonely.closeSession('mine');
    expect(await lonely.isSessionClosed('mine')).toBe(true);
    expect(lines.filter((line) => line.includes('shared store lost'))).toHaveLength(1);
    expect(lines.join('')).not.toMatch(new RegExp(`${password}|127\\.0\\.0\\.1`));
  });

  it('is shared again from the moment that the store is back', async () => {
    const connection = connectToRedis(redis.url, { clock: Date.now, log, metrics: noMetrics });
    const ping = () => connection.ask((client) => client.ping());
    await vi.waitFor(async () => expect(await ping()).toBe('PONG'));
    await redis.kill();
    for (let failure = 0; failure < 3; failure += 1) await expect(ping()).rejects.toThrow();
    await expect(ping()).rejects.toMatchObject({ code: 'CircuitOpen' });
    const isBack = vi.waitUntil(() => lines.join('').includes('shared store is back'), { interval: 5 });
    await redis.restart();
    await isBack;
    expect(await ping()).toBe('PONG');
    connection.disconnect();
  });

  it('keeps what a reply failed with from being taken for an answer', async () => {
    const connection = connectToRedis(redis.url, { clock: Date.now, log, metrics: noMetrics });
    await vi.waitFor(() => expect(lines.join('')).toContain('shared store connected'));
    await expect(connection.ask((client) => client.eval('return nonsense(', {}))).rejects.toMatchObject({
      name: 'UpstreamError',
      service: 'shared-store',
    });
    connection.disconnect();
  });
});
