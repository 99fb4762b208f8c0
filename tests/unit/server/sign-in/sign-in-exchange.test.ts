import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createResponseCookies } from '../../../../app/server/cookies/cookie-jar.ts';
import type { UpstreamService } from '../../../../app/server/observability/metrics.ts';
import { noMetrics } from '../../../../app/server/observability/metrics.ts';
import { createSignIn, type SignInOutcome } from '../../../../app/server/sign-in/sign-in.ts';
import { createCookieStore } from '../../../support/sign-in/cookie-store.ts';
import { createSessionHarness, sessionEnv } from '../../../support/sign-in/session-harness.ts';
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

beforeAll(async () => {
  pool = await startScriptedUserPool();
});
// Deadlines pass only when a test says so, however long its two thousand exchanges take on this machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  pool.reset();
});
afterAll(() => pool.close());

/** The sign-in of one process, and the calls that it rejected because of overload. */
function openSignIn() {
  const { sessions, verifier, clock } = createSessionHarness(pool);
  const shed: UpstreamService[] = [];
  const metrics = { ...noMetrics, shed: (service: UpstreamService) => void shed.push(service) };
  const env = { appOrigin: APP_ORIGIN, session: sessionEnv, userPool: pool.userPool() };
  return { signIn: createSignIn({ env, sessions, verifier, clock, metrics }), shed };
}

/** A browser that returns from the hosted login with `code`, and the nonce that its ID token must repeat. */
async function returnWithCode({ signIn }: ReturnType<typeof openSignIn>, code: string) {
  const browser = createCookieStore();
  const jar = createResponseCookies();
  const begun = new URL(await signIn.begin(browser.request(), jar, 'sign-in', '/fr'));
  browser.receive(jar);
  const query = new URLSearchParams({ code, state: begun.searchParams.get('state') ?? '' });
  const finish = (): Promise<SignInOutcome> =>
    signIn.finish(browser.request(`/auth/callback?${query}`), createResponseCookies(), {
      state: 'anonymous',
    });
  return { finish, nonce: begun.searchParams.get('nonce') };
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
    const site = openSignIn();
    const nonces = new Map<string, string | null>();
    const visitors = [];
    for (let index = 0; index < MAX_CONCURRENT + 20; index++) {
      const visitor = await returnWithCode(site, `code-${index}`);
      nonces.set(`code-${index}`, visitor.nonce);
      visitors.push(visitor);
    }
    const endpoint = delayTokenEndpoint(async (code) => {
      const claims = claimsIssuedAt(Date.now());
      const access_token = await pool.accessToken(claims);
      const id_token = await pool.idToken({ ...claims, nonce: nonces.get(code) });
      return { body: { access_token, id_token, refresh_token: createRefreshToken(), token_type: 'Bearer' } };
    });
    const outcomes = visitors.map(({ finish }) => finish());
    await expect.poll(() => endpoint.concurrent).toBe(MAX_CONCURRENT);
    // An exchange that does not wait would have reached the endpoint by the time of these responses.
    for (let round = 0; round < 20; round++) await fetch(`${pool.userPool().issuer}/.well-known/jwks.json`);
    endpoint.release();
    for (const outcome of await Promise.all(outcomes))
      expect(outcome).toEqual({ returnTo: '/fr', error: null });
    expect(endpoint.maxConcurrent).toBe(MAX_CONCURRENT);
    expect(site.shed).toEqual([]);
  });

  // threat-model: T-028
  it('are rejected at once when two thousand are waiting', async () => {
    const site = openSignIn();
    const { finish } = await returnWithCode(site, 'x');
    const endpoint = delayTokenEndpoint(async () => ({ status: 400, body: { error: 'invalid_grant' } }));
    const settled: SignInOutcome[] = [];
    const outcomes = Array.from({ length: MAX_CONCURRENT + MAX_WAITING + 3 }, () =>
      finish().then((outcome) => settled.push(outcome)),
    );
    await expect.poll(() => settled.length).toBe(3);
    expect(site.shed).toEqual(['hosted-login', 'hosted-login', 'hosted-login']);
    for (const { error } of settled) {
      expect(error).toMatchObject({ code: 'unavailable', cause: { code: 'Overloaded' } });
    }
    await expect.poll(() => endpoint.concurrent).toBe(MAX_CONCURRENT);
    // What waits is rejected at its deadline, without a call.
    vi.advanceTimersByTime(EXCHANGE_TIMEOUT_MS);
    await Promise.all(outcomes);
    expect(pool.received.token).toHaveLength(MAX_CONCURRENT);
    expect(site.shed).toHaveLength(MAX_WAITING + 3);
    endpoint.release();
  });
});
