import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, redisProgram, startRedis } from '../../../../tests/support/processes/redis.ts';
import { createRedisStores } from '../../../../tests/support/processes/redis-stores.ts';
import { openDueVisitor } from '../../../../tests/support/sign-in/due-visitor.ts';
import {
  type ScriptedUserPool,
  startScriptedUserPool,
} from '../../../../tests/support/upstreams/scripted-user-pool.ts';

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

  it('leave no token, session id or user in readable form in the store', async () => {
    const store = await stores.open(redis.url);
    const { harness, owners, browser, session } = await openDueVisitor(pool, () => store);
    await harness.visit(browser);
    await harness.signOut(browser, session);
    const reader = await createClient({ url: redis.url }).connect();
    const keys = await reader.keys('*');
    const texts = await Promise.all(
      keys.map(async (key) => {
        const isHash = (await reader.type(key)) === 'hash';
        return isHash ? JSON.stringify(await reader.hGetAll(key)) : reader.get(key);
      }),
    );
    reader.destroy();
    const all = [...keys, ...texts].join('\n');
    for (const kind of [':value', ':entries']) expect(keys.some((key) => key.endsWith(kind))).toBe(true);
    const [refreshToken = ''] = owners.keys();
    const encoded = [refreshToken, session.user.sub].map((text) => Buffer.from(text).toString('base64url'));
    for (const secret of [refreshToken, session.id, session.user.sub, ...encoded]) {
      expect(all).not.toContain(secret);
    }
  });
});
