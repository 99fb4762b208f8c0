import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { type CookieStore, createCookieStore } from '../../support/sign-in/cookie-store.ts';
import { createHostedLoginVisitor } from '../../support/sign-in/hosted-login.ts';
import {
  createSignInFlow,
  type SignInFlow,
  sessionCookiesOf,
  startCloudWithAda,
} from '../../support/sign-in/sign-in-flow.ts';
import { APP_ORIGIN, siteEnv } from '../../support/sign-in/signed-in-session.ts';

let cloud: LocalCloud;
let site: SignInFlow;

beforeAll(async () => {
  cloud = await startCloudWithAda();
  site = createSignInFlow(cloud);
});
afterEach(() => cloud.faults.set({}));
afterAll(() => cloud.close());

describe('signing out', () => {
  const signOut = (browser: CookieStore, returnTo = '/') =>
    site.visit(browser, '/auth/sign-out', { method: 'POST', body: new URLSearchParams({ returnTo }) });

  it("clears the cookie, revokes the refresh token and goes on to the hosted login's own sign-out", async () => {
    const browser = createCookieStore();
    const visitor = createHostedLoginVisitor(cloud);
    await site.visit(browser, await site.login(await site.begin(browser), visitor));
    const copy = browser.copy();
    cloud.faults.forgetCalls();
    const { status, location } = await signOut(browser);
    expect(status).toBe(303);
    expect(sessionCookiesOf(browser)).toEqual([]);
    expect(cloud.faults.calls.revoke).toBeDefined();
    expect(await site.stateOf(copy)).toBe('anonymous');

    const { clientId } = siteEnv(cloud).userPool;
    expect(`${location?.origin}${location?.pathname}`).toBe(`${cloud.origin}/logout`);
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
      client_id: clientId,
      logout_uri: `${APP_ORIGIN}/`,
    });
    expect((await visitor.open(location ?? '')).url.href).toBe(`${APP_ORIGIN}/`);
    expect((await visitor.open(await site.begin(browser))).status, 'the password is asked for again').toBe(
      200,
    );
  });

  it.each(['status', 'hang', 'reset'])('works while the revocation fails: %s', async (kind) => {
    const browser = createCookieStore();
    await site.signIn(browser);
    cloud.faults.set({ faults: [{ service: 'revoke', kind, status: 503 }] });
    const { status } = await signOut(browser);
    expect(status).toBe(303);
    expect(sessionCookiesOf(browser)).toEqual([]);
  });

  it('without a session dismisses what is left of one, and goes back to the page', async () => {
    const browser = createCookieStore(new Map([['__Host-session', 'rubbish']]));
    const { status, location } = await signOut(browser, '/fr/test-message');
    expect([status, location?.href]).toEqual([303, `${APP_ORIGIN}/fr/test-message`]);
    expect(sessionCookiesOf(browser)).toEqual([]);
    expect((await signOut(createCookieStore(), '//evil.example')).location?.href).toBe(`${APP_ORIGIN}/`);
  });

  it('comes back to the front page in the language that was being read', async () => {
    const browser = createCookieStore(new Map([['locale', 'en']]));
    await site.signIn(browser);
    await signOut(browser, '/ja/test-message');
    expect(browser.cookies.get('locale')).toBe('ja');
  });

  it('works whatever the form is', async () => {
    const browser = createCookieStore();
    await site.signIn(browser);
    await site.visit(browser, '/auth/sign-out', { method: 'POST', body: '{}' });
    expect(sessionCookiesOf(browser)).toEqual([]);
  });

  // threat-model: T-029
  it('is not done by GET', async () => {
    const browser = createCookieStore();
    await site.signIn(browser);
    const { status, headers } = await site.visit(browser, '/auth/sign-out');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    expect(await site.stateOf(browser)).toBe('signed-in');
  });
});
