import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, redisProgram, startRedis } from '../../../support/processes/redis.ts';
import { createRedisStores } from '../../../support/processes/redis-stores.ts';
import { HOUR, rotate, signInAs, type TokenOwners } from '../../../support/sign-in/due-visitor.ts';
import { createSessionHarness } from '../../../support/sign-in/session-harness.ts';
import {
  type ScriptedUserPool,
  startScriptedUserPool,
} from '../../../support/upstreams/scripted-user-pool.ts';

describe.skipIf(redisProgram === null /* no store to share */)('the sessions of several machines', () => {
  let redis: RedisServer;
  let pool: ScriptedUserPool;
  const stores = createRedisStores();

  beforeAll(async () => {
    redis = await startRedis();
    pool = await startScriptedUserPool();
  });
  afterEach(() => {
    stores.closeAll();
    pool.reset();
  });
  afterAll(async () => {
    await redis?.kill();
    await pool.close();
  });

  async function openMachine() {
    const store = await stores.open(redis.url);
    return createSessionHarness(pool, {}, () => store);
  }

  /** Machines, the first of which a visitor has signed in at. The tokens expire now. */
  async function openDueVisitorAt(count: number) {
    const one = await openMachine();
    const others = await Promise.all(Array.from({ length: count - 1 }, openMachine));
    const owners: TokenOwners = new Map();
    const signedIn = await signInAs(one, 'the-sub-of-the-user', owners);
    one.time.now += HOUR;
    for (const other of others) other.time.now = one.time.now;
    return { one, two: others[0] ?? one, machines: [one, ...others], owners, ...signedIn };
  }

  it('are refreshed once, and all machines get the new tokens', async () => {
    const { one, machines, owners, browser } = await openDueVisitorAt(4);
    rotate(pool, one, owners, () => wait(200));
    const visits = await Promise.all(machines.map((machine) => machine.visit(browser.copy())));
    expect(pool.received.api).toHaveLength(1);
    expect(new Set(visits.map(({ session }) => JSON.stringify(session))).size).toBe(1);
    expect(machines.flatMap(({ refreshes }) => refreshes).sort()).toEqual([
      ...['adopted', 'adopted', 'adopted'],
      'refreshed',
    ]);
  });

  it('continue from the latest refresh for an older cookie, and are refreshed for the newest', async () => {
    const { one, two, owners, browser } = await openDueVisitorAt(2);
    rotate(pool, one, owners);
    const old = browser.copy();
    await one.visit(browser);
    one.time.now += HOUR;
    two.time.now = one.time.now;
    const latest = (await one.visit(browser)).session;
    expect((await two.visit(old)).session).toEqual(latest);
    expect(pool.received.api).toHaveLength(2);
    one.time.now += HOUR;
    two.time.now = one.time.now;
    expect((await two.visit(old)).session).not.toEqual(latest);
    expect(two.refreshes).toEqual(['adopted', 'refreshed']);
  });

  it('leave no token, session id or user in readable form in the store', async () => {
    const { one, owners, browser, session } = await openDueVisitorAt(1);
    rotate(pool, one, owners);
    await one.visit(browser);
    await one.signOut(browser, session);
    const reader = await createClient({ url: redis.url }).connect();
    const keys = await reader.keys('*');
    const strings = await Promise.all(keys.map((key) => reader.get(key)));
    reader.destroy();
    const all = [...keys, ...strings].join('\n');
    expect(keys.some((key) => key.endsWith(':value'))).toBe(true);
    const [refreshToken = ''] = owners.keys();
    const encoded = [refreshToken, session.user.sub].map((text) => Buffer.from(text).toString('base64url'));
    for (const secret of [refreshToken, session.id, session.user.sub, ...encoded]) {
      expect(all).not.toContain(secret);
    }
  });
});
