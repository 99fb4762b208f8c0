/** The completion of sign-in attempts on several machines that share a store. */
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { noMetrics } from '../../../../app/server/metrics/metrics.ts';
import { type RedisServer, redisProgram, startRedis } from '../../../../tests/support/processes/redis.ts';
import { createRedisStores } from '../../../../tests/support/processes/redis-stores.ts';
import { createCallbackRequest } from '../../../../tests/support/sign-in/callback-request.ts';
import { createSessionHarness, sessionEnv } from '../../../../tests/support/sign-in/session-harness.ts';
import {
  claimsIssuedAt,
  createRefreshToken,
} from '../../../../tests/support/upstreams/scripted-user-pool.ts';
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';
import { createLog } from '../../../site-server/src/log/log.ts';
import { createResponseCookies } from '../../src/cookies/cookie-jar.ts';
import { createAuthenticators, nonceFor, type SignIn } from '../../src/sign-in/hosted-login.ts';
import { SignInError } from '../../src/user-pool/sign-in-error.ts';
import { createTokenVerifier } from '../../src/user-pool/token-verifier.ts';

const pool = await shareUserPool();

describe.skipIf(redisProgram === null /* no store to share */)('a sign-in attempt on two machines', () => {
  let redis: RedisServer;
  const stores = createRedisStores();
  beforeAll(async () => {
    redis = await startRedis();
  });
  const readers: { destroy(): void }[] = [];
  afterEach(() => {
    stores.closeAll();
    for (const reader of readers.splice(0)) reader.destroy();
  });
  afterAll(() => redis?.kill());

  /** The machines, and a user pool that redeems the code of each attempt after a while. */
  async function openMachines() {
    pool.script({
      token: async ({ body }) => {
        const code = new URLSearchParams(body).get('code') ?? '';
        const claims = claimsIssuedAt(Date.now(), { sub: code });
        const id_token = await pool.idToken({ ...claims, nonce: nonceFor(`verifier of ${code}`) });
        await new Promise((resolve) => setTimeout(resolve, 200));
        const access_token = await pool.accessToken(claims);
        return { body: { access_token, id_token, refresh_token: createRefreshToken() } };
      },
    });
    const open = async () => {
      const env = { appOrigin: 'https://site.example', session: sessionEnv, userPool: pool.userPool() };
      const verifier = createTokenVerifier({ env, clock: Date.now });
      const openAuthenticator = createAuthenticators({
        env,
        verifier,
        sessions: createSessionHarness(pool).sessions,
        store: await stores.open(redis.url),
        clock: Date.now,
        log: createLog('silent'),
        metrics: noMetrics,
        language: () => null,
      });
      return async (name: string): Promise<SignIn | { error: string }> => {
        const attempt = { state: name, codeVerifier: `verifier of ${name}` };
        const request = await createCallbackRequest(env, attempt, { state: name, code: name });
        const visitor = { cookies: createResponseCookies(), session: { state: 'anonymous' } as const };
        const signIn = openAuthenticator(visitor).authenticate('sign-in', request);
        return signIn.catch((error: unknown) => {
          if (error instanceof SignInError) return { error: error.code };
          throw error;
        });
      };
    };
    return [await open(), await open()] as const;
  }

  /** Opens a client that sees what the machines share. */
  async function openReader() {
    const reader = await createClient({ url: redis.url }).connect();
    readers.push(reader);
    return reader;
  }

  // threat-model: T-020
  it('is completed once, and both get the same session, of which the store can read nothing', async () => {
    const [one, two] = await openMachines();
    const [first, second] = await Promise.all([one('ada'), two('ada')]);
    expect(first).toEqual({
      record: expect.objectContaining({ user: expect.objectContaining({ sub: 'ada' }) }),
      returnTo: '/',
    });
    expect(second).toEqual(first);
    expect(pool.received.token).toHaveLength(1);
    const reader = await openReader();
    const keys = await reader.keys('*');
    const values = await Promise.all(keys.map((key) => reader.get(key)));
    expect(values.some((value) => value?.startsWith('1.'))).toBe(true);
    const secret = 'record' in first ? first.record.tokens.refreshToken : null;
    expect([...keys, ...values].join()).not.toContain(secret);
  });

  // threat-model: T-119
  it('is used on both when the result is forgotten', async () => {
    const [one, two] = await openMachines();
    await one('ben');
    const reader = await openReader();
    await reader.del((await reader.keys('*')).filter((key) => key.endsWith(':value')));
    expect(await two('ben')).toEqual({ error: 'expired' });
    expect(pool.received.token).toHaveLength(1);
  });

  // threat-model: T-120
  it('does not get the session of another attempt from a store that has been tampered with', async () => {
    const [one, two] = await openMachines();
    const reader = await openReader();
    const values = async () => (await reader.keys('*')).filter((key) => key.endsWith(':value'));
    await reader.flushAll();
    await one('victim');
    const [source = ''] = await values();
    await one('attacker');
    const [target = ''] = (await values()).filter((key) => key !== source);
    await reader.set(target, (await reader.get(source)) ?? '');
    expect(await two('attacker')).toEqual({ error: 'unavailable' });
  });
});
