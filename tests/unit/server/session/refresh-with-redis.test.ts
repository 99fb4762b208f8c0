import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Env } from '../../../../app/server/config/env.ts';
import { type RedisServer, redisProgram, startRedis } from '../../../support/processes/redis.ts';
import { createRedisStores } from '../../../support/processes/redis-stores.ts';
import {
  failWith,
  HOUR,
  refreshResponse,
  rotate,
  signInAs,
  type TokenOwners,
} from '../../../support/sign-in/due-visitor.ts';
import { createSessionHarness, sessionEnv } from '../../../support/sign-in/session-harness.ts';
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

  async function openMachine(changes: Partial<Env['session']> = {}) {
    const store = await stores.open(redis.url);
    return createSessionHarness(pool, changes, () => store);
  }

  /** Machines, the first of which a visitor has signed in at. The tokens expire now. */
  async function openDueVisitorAt(count: number, changes: Partial<Env['session']> = {}) {
    const one = await openMachine();
    const others = await Promise.all(Array.from({ length: count - 1 }, () => openMachine(changes)));
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

  it('are refreshed by the next machine after a refresh that failed', async () => {
    const { one, two, owners, browser } = await openDueVisitorAt(2);
    pool.script(failWith('SomethingNewException'));
    await one.visit(browser.copy());
    rotate(pool, two, owners);
    await two.visit(browser.copy());
    expect([one.refreshes, two.refreshes]).toEqual([['unavailable'], ['refreshed']]);
  });

  it('are closed on every machine', async () => {
    const { one, two, owners, browser, session } = await openDueVisitorAt(2);
    rotate(pool, one, owners);
    const other = await signInAs(one, 'another-user', owners);
    const copy = browser.copy();
    await one.signOut(browser, session);
    expect((await two.visit(copy)).session).toEqual({ state: 'anonymous' });
    expect((await two.visit(other.browser)).session.state).toBe('signed-in');
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

  it('ignore a record that was sealed with a secret that they do not have', async () => {
    const secrets: Env['session']['secrets'] = [
      'another-9f3kd02mzQpwL4vX8hTyRu6BnCsE',
      ...sessionEnv.secrets,
    ];
    const { one, two, session, browser } = await openDueVisitorAt(2, { secrets });
    pool.script({
      api: async () => {
        const { accessToken, idToken } = await one.issue({ sub: session.user.sub });
        return refreshResponse({ accessToken, idToken });
      },
    });
    await two.visit(browser.copy());
    await one.visit(browser.copy());
    expect([two.refreshes, one.refreshes]).toEqual([['refreshed'], ['refreshed']]);
  });
});
