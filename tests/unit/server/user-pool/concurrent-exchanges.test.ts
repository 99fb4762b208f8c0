import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UpstreamService } from '../../../../app/server/observability/metrics.ts';
import { noMetrics } from '../../../../app/server/observability/metrics.ts';
import {
  createAuthenticator,
  createCallbackRequest,
  nonceFor,
} from '../../../../app/server/user-pool/hosted-login.ts';
import { createTokenVerifier } from '../../../../app/server/user-pool/token-verifier.ts';
import {
  claimsIssuedAt,
  createRefreshToken,
  type ScriptedResponse,
  type ScriptedUserPool,
  startScriptedUserPool,
} from '../../../support/upstreams/scripted-user-pool.ts';

const APP_ORIGIN = 'http://localhost:3000';
const MAX_CONCURRENT = 50;
const MAX_WAITING = 2000;
const EXCHANGE_TIMEOUT_MS = 4500;

let pool: ScriptedUserPool;

// One for each test: undici would send on connections that the server has closed, because its timers do not run.
beforeEach(async () => {
  pool = await startScriptedUserPool();
  // Deadlines pass only when a test says so, however long its two thousand exchanges take on this machine.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await pool.close();
});

/** The sign-in of one process, and the calls that it rejected because of overload. */
function openSignIn() {
  const shed: UpstreamService[] = [];
  const metrics = { ...noMetrics, shed: (service: UpstreamService) => void shed.push(service) };
  const env = { appOrigin: APP_ORIGIN, userPool: pool.userPool() };
  const verifier = createTokenVerifier({ env, clock: Date.now });
  const authenticator = createAuthenticator({ env, verifier, metrics });
  return {
    shed,
    /** Returns from a page of the hosted login with `code`. Half of the visitors come from each page. */
    finish(code: string, index: number) {
      const attempt = { state: `state-${index}`, codeVerifier: `verifier of ${code}` };
      const request = createCallbackRequest(env, { state: attempt.state, code }, attempt);
      return authenticator.authenticate(index % 2 === 0 ? 'sign-in' : 'sign-up', request);
    },
  };
}

/** A token endpoint that delays all responses until `release` is called. */
function delayTokenEndpoint(respond: (code: string) => Promise<ScriptedResponse>) {
  const endpoint = { concurrent: 0, maxConcurrent: 0, release: () => {} };
  const released = new Promise<void>((resolve) => {
    endpoint.release = resolve;
  });
  pool.script({
    token: async ({ body }) => {
      endpoint.concurrent += 1;
      endpoint.maxConcurrent = Math.max(endpoint.maxConcurrent, endpoint.concurrent);
      await released;
      endpoint.concurrent -= 1;
      return respond(new URLSearchParams(body).get('code') ?? '');
    },
  });
  return endpoint;
}

describe('concurrent code exchanges', () => {
  // threat-model: T-028
  it('run fifty at a time, and every visitor is signed in', async () => {
    const { finish, shed } = openSignIn();
    const endpoint = delayTokenEndpoint(async (code) => {
      const claims = claimsIssuedAt(Date.now());
      const access_token = await pool.accessToken(claims);
      const id_token = await pool.idToken({ ...claims, nonce: nonceFor(`verifier of ${code}`) });
      return { body: { access_token, id_token, refresh_token: createRefreshToken(), token_type: 'Bearer' } };
    });
    const results = Array.from({ length: MAX_CONCURRENT + 20 }, (_, index) => finish(`code-${index}`, index));
    await expect.poll(() => endpoint.concurrent).toBe(MAX_CONCURRENT);
    // An exchange that does not wait would have reached the endpoint by the time of these responses.
    for (let round = 0; round < 20; round++) await fetch(`${pool.userPool().issuer}/.well-known/jwks.json`);
    endpoint.release();
    for (const { verified } of await Promise.all(results))
      expect(verified.user.email).toBe('ada@example.com');
    expect(endpoint.maxConcurrent).toBe(MAX_CONCURRENT);
    expect(shed).toEqual([]);
  });

  // threat-model: T-028
  it('are rejected at once when two thousand are waiting', async () => {
    const { finish, shed } = openSignIn();
    const endpoint = delayTokenEndpoint(async () => ({ status: 400, body: { error: 'invalid_grant' } }));
    const rejections: unknown[] = [];
    const exchanges = Array.from({ length: MAX_CONCURRENT + MAX_WAITING + 3 }, (_, index) =>
      finish('x', index).catch((error: unknown) => rejections.push(error)),
    );
    await expect.poll(() => rejections.length).toBe(3);
    expect(shed).toEqual(['hosted-login', 'hosted-login', 'hosted-login']);
    for (const error of rejections) expect(error).toMatchObject({ code: 'Overloaded' });
    await expect.poll(() => endpoint.concurrent).toBe(MAX_CONCURRENT);
    // What waits is rejected at its deadline, without a call.
    vi.advanceTimersByTime(EXCHANGE_TIMEOUT_MS);
    await Promise.all(exchanges);
    expect(pool.received.token).toHaveLength(MAX_CONCURRENT);
    expect(shed).toHaveLength(MAX_WAITING + 3);
    endpoint.release();
  });
});
