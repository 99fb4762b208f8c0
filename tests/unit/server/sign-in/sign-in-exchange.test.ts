import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
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
const AT_ONCE = 50;
const WAITING = 2000;

let pool: ScriptedUserPool;

beforeAll(async () => {
  pool = await startScriptedUserPool();
});
afterEach(() => pool.reset());
afterAll(() => pool.close());

/** The sign-in of one process, and what it counts. */
function openSignIn() {
  const { sessions, verifier, clock } = createSessionHarness(pool);
  const shed: UpstreamService[] = [];
  const metrics = { ...noMetrics, shed: (service: UpstreamService) => void shed.push(service) };
  const env = { appOrigin: APP_ORIGIN, session: sessionEnv, userPool: pool.userPool() };
  return { signIn: createSignIn({ env, sessions, verifier, clock, metrics }), shed };
}

/** A browser that is back from the hosted login with `code`, and the nonce that its ID token has to repeat. */
async function comeBack({ signIn }: ReturnType<typeof openSignIn>, code: string) {
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

/** A token endpoint that holds every answer back until it is told to give them. */
function holdTokenEndpoint(answer: (code: string) => Promise<ScriptedResponse>) {
  const endpoint = { atOnce: 0, most: 0, release: () => {} };
  const released = new Promise<void>((resolve) => {
    endpoint.release = resolve;
  });
  pool.script({
    token: async ({ body }) => {
      endpoint.atOnce += 1;
      endpoint.most = Math.max(endpoint.most, endpoint.atOnce);
      await released;
      endpoint.atOnce -= 1;
      return answer(new URLSearchParams(body).get('code') ?? '');
    },
  });
  return endpoint;
}

describe('codes that come back all at once', () => {
  // threat-model: T-028
  it('are redeemed fifty at a time, and everybody is signed in', async () => {
    const site = openSignIn();
    const nonces = new Map<string, string | null>();
    const visitors = [];
    for (let index = 0; index < AT_ONCE + 20; index++) {
      const visitor = await comeBack(site, `code-${index}`);
      nonces.set(`code-${index}`, visitor.nonce);
      visitors.push(visitor);
    }
    const endpoint = holdTokenEndpoint(async (code) => {
      const claims = claimsIssuedAt(Date.now());
      const access_token = await pool.accessToken(claims);
      const id_token = await pool.idToken({ ...claims, nonce: nonces.get(code) });
      return { body: { access_token, id_token, refresh_token: createRefreshToken(), token_type: 'Bearer' } };
    });
    const outcomes = visitors.map(({ finish }) => finish());
    await expect.poll(() => endpoint.atOnce, { timeout: 4000 }).toBe(AT_ONCE);
    // Whoever did not wait would be there by the time that these are answered.
    for (let round = 0; round < 20; round++) await fetch(`${pool.userPool().issuer}/.well-known/jwks.json`);
    endpoint.release();
    for (const outcome of await Promise.all(outcomes))
      expect(outcome).toEqual({ returnTo: '/fr', error: null });
    expect(endpoint.most).toBe(AT_ONCE);
    expect(site.shed).toEqual([]);
  });

  // threat-model: T-028
  it('are turned away at once where two thousand wait already', async () => {
    const site = openSignIn();
    const { finish } = await comeBack(site, 'x');
    const endpoint = holdTokenEndpoint(async () => ({ status: 400, body: { error: 'invalid_grant' } }));
    const answered: SignInOutcome[] = [];
    const outcomes = Array.from({ length: AT_ONCE + WAITING + 3 }, () =>
      finish().then((outcome) => answered.push(outcome)),
    );
    await expect.poll(() => answered.length, { timeout: 4000 }).toBe(3);
    expect(site.shed).toEqual(['hosted-login', 'hosted-login', 'hosted-login']);
    for (const { error } of answered) {
      expect(error).toMatchObject({ code: 'unavailable', cause: { code: 'Overloaded' } });
    }
    endpoint.release();
    await Promise.all(outcomes);
  });
});
