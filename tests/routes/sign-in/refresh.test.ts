import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../../local-cloud/start.ts';
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

const refreshes = () =>
  Object.values(cloud.faults.calls['cognito-idp'] ?? {}).reduce((sum, calls) => sum + calls, 0);

/** A visitor whose tokens are about to expire. */
async function dueVisitor(options: SiteOptions = {}) {
  const site = createSignInFlow(cloud, { clock, ...options });
  const browser = createCookieStore();
  await site.signIn(browser);
  now += HOUR - 4000;
  cloud.faults.forgetCalls();
  return { site, browser };
}

const accessTokenOf = async (site: SignInFlow, browser: ReturnType<typeof createCookieStore>) => {
  const { session } = (await site.visit(browser, '/')).context;
  if (session.state !== 'signed-in') throw new Error(`the session is ${session.state}`);
  return session.tokens.accessToken;
};

describe('a session at the user pool', () => {
  it.each(['rotating', 'plain', 'public'] as const)(
    'is refreshed for days by the %s client',
    async (client) => {
      const { site, browser } = await dueVisitor({ client });
      const seen = new Set<string>();
      for (let hour = 0; hour < 30; hour++) {
        seen.add(await accessTokenOf(site, browser));
        now += HOUR - 4000;
      }
      expect(seen.size).toBe(30);
      expect(refreshes()).toBe(30);
    },
  );

  // threat-model: T-030
  it('is refreshed once for a thousand requests, and none of them is signed out', async () => {
    const { site, browser } = await dueVisitor();
    const tokens = await Promise.all(Array.from({ length: 1000 }, () => accessTokenOf(site, browser.copy())));
    expect(new Set(tokens).size).toBe(1);
    expect(refreshes()).toBe(1);
  }, 20_000);

  // threat-model: T-033
  it('is refreshed once per machine at most where machines share nothing, and stays signed in on all', async () => {
    const { browser, site } = await dueVisitor();
    const machines = [site, ...Array.from({ length: 3 }, () => createSignInFlow(cloud, { clock }))];
    await Promise.all(
      machines.flatMap((machine) => Array.from({ length: 50 }, () => accessTokenOf(machine, browser.copy()))),
    );
    expect(refreshes()).toBeLessThanOrEqual(4);
  });

  // threat-model: T-032
  it('goes on after a response whose cookie never arrived, also when the grace period is long over', async () => {
    const { site, browser } = await dueVisitor();
    const lost = await accessTokenOf(site, browser.copy());
    now += 10 * 60_000;
    expect(await accessTokenOf(site, browser)).toBe(lost);
  });

  // threat-model: T-035
  it('lives through a user pool that is down, and is refreshed when it is back', async () => {
    for (const kind of ['status', 'reset', 'html', 'invalid-json']) {
      const visitor = await dueVisitor();
      cloud.faults.set({ faults: [{ service: 'cognito-idp', kind, status: 503 }] });
      const old = await accessTokenOf(visitor.site, visitor.browser);
      cloud.faults.set({});
      now += 1000;
      expect(await accessTokenOf(visitor.site, visitor.browser), kind).not.toBe(old);
    }
  });

  // threat-model: T-035
  it('lives through throttling by name', async () => {
    const { site, browser } = await dueVisitor();
    cloud.faults.set({
      faults: [{ service: 'cognito-idp', kind: 'error', error: 'TooManyRequestsException' }],
    });
    expect(await site.stateOf(browser)).toBe('signed-in');
  });

  it('ends when the user pool knows its user no more', async () => {
    const { site, browser } = await dueVisitor();
    cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'error', error: 'UserNotFoundException' }] });
    expect((await site.visit(browser, '/')).context.session.state).toBe('ended');
    cloud.faults.set({});
    expect(await site.stateOf(browser)).toBe('ended');
    await site.signIn(browser);
    expect(await site.stateOf(browser)).toBe('signed-in');
  });

  it('ends on every device when its refresh token is revoked by a sign-out', async () => {
    const { site, browser } = await dueVisitor();
    const otherMachine = createSignInFlow(cloud, { clock });
    const copy = browser.copy();
    await site.visit(browser, '/auth/sign-out', { method: 'POST' });
    expect(await otherMachine.stateOf(copy)).toBe('ended');
  });
});
