import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCookieStore } from '../../support/sign-in/cookie-store.ts';
import {
  createSignInFlow,
  type SignInFlow,
  type SiteOptions,
  startCloudWithAda,
} from '../../support/sign-in/sign-in-flow.ts';

const HOUR = 60 * 60_000;

let now = Date.now();
const clock = () => now;
let cloud: LocalCloud;

beforeAll(async () => {
  cloud = await startCloudWithAda(clock);
});
afterEach(() => cloud.faults.set({}));
afterAll(() => cloud.close());

const refreshCount = () =>
  Object.values(cloud.faults.calls['cognito-idp'] ?? {}).reduce((sum, calls) => sum + calls, 0);

/** Signs Ada in and advances the clock until her tokens are about to expire. */
async function signInWithExpiringTokens(options: SiteOptions = {}) {
  const site = createSignInFlow(cloud, { clock, ...options });
  const browser = createCookieStore();
  await site.signIn(browser);
  now += HOUR - 4000;
  cloud.faults.forgetCalls();
  return { site, browser };
}

const accessTokenOf = async (site: SignInFlow, browser: ReturnType<typeof createCookieStore>) => {
  const { session } = (await site.visit(browser, '/')).context;
  if (session.state !== 'signed-in') throw new Error(`The session is ${session.state}`);
  return session.tokens.accessToken;
};

describe('a session', () => {
  it.each(['rotating', 'plain', 'public'] as const)(
    'is refreshed for days by the %s client',
    async (client) => {
      const { site, browser } = await signInWithExpiringTokens({ client });
      const accessTokens = new Set<string>();
      for (let hour = 0; hour < 30; hour++) {
        accessTokens.add(await accessTokenOf(site, browser));
        now += HOUR - 4000;
      }
      expect(accessTokens.size).toBe(30);
      expect(refreshCount()).toBe(30);
    },
  );

  // threat-model: T-030
  it('is refreshed once for a thousand concurrent requests, and all of them stay signed in', async () => {
    const { site, browser } = await signInWithExpiringTokens();
    const tokens = await Promise.all(Array.from({ length: 1000 }, () => accessTokenOf(site, browser.copy())));
    expect(new Set(tokens).size).toBe(1);
    expect(refreshCount()).toBe(1);
  });

  // threat-model: T-033
  it('is refreshed at most once per machine without a shared store, and stays signed in on all machines', async () => {
    const { browser, site } = await signInWithExpiringTokens();
    const machines = [site, ...Array.from({ length: 3 }, () => createSignInFlow(cloud, { clock }))];
    await Promise.all(
      machines.flatMap((machine) => Array.from({ length: 50 }, () => accessTokenOf(machine, browser.copy()))),
    );
    expect(refreshCount()).toBeLessThanOrEqual(4);
  });

  // threat-model: T-032
  it('continues after a response with its new cookie was lost, also after the grace period', async () => {
    const { site, browser } = await signInWithExpiringTokens();
    const lost = await accessTokenOf(site, browser.copy());
    now += 10 * 60_000;
    expect(await accessTokenOf(site, browser)).toBe(lost);
  });

  // threat-model: T-035
  it('survives an outage of the user pool, and is refreshed afterwards', async () => {
    for (const [kind, fault] of [
      ['status', { status: 503 }],
      ['html', {}],
      ['error', { error: 'TooManyRequestsException' }],
    ] as const) {
      const visitor = await signInWithExpiringTokens();
      cloud.faults.set({ faults: [{ service: 'cognito-idp', kind, ...fault }] });
      const expiring = await accessTokenOf(visitor.site, visitor.browser);
      cloud.faults.set({});
      now += 1000;
      expect(await accessTokenOf(visitor.site, visitor.browser), kind).not.toBe(expiring);
    }
  });

  it('ends when the user no longer exists in the user pool', async () => {
    const { site, browser } = await signInWithExpiringTokens();
    cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'error', error: 'UserNotFoundException' }] });
    expect((await site.visit(browser, '/')).context.session.state).toBe('ended');
    cloud.faults.set({});
    expect(await site.stateOf(browser)).toBe('ended');
    await site.signIn(browser);
    expect(await site.stateOf(browser)).toBe('signed-in');
  });

  it('ends on every machine when a sign-out revokes its refresh token', async () => {
    const { site, browser } = await signInWithExpiringTokens();
    const otherMachine = createSignInFlow(cloud, { clock });
    const copy = browser.copy();
    await site.visit(browser, '/auth/sign-out', { method: 'POST' });
    expect(await otherMachine.stateOf(copy)).toBe('ended');
  });
});
