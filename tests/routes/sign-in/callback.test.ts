import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { type CookieStore, createCookieStore } from '../../support/sign-in/cookie-store.ts';
import {
  attemptCookiesOf,
  createSignInFlow,
  noticeOf,
  type SignInFlow,
  startCloudWithAda,
} from '../../support/sign-in/sign-in-flow.ts';
import { APP_ORIGIN } from '../../support/sign-in/signed-in-session.ts';

let cloud: LocalCloud;
let site: SignInFlow;

beforeAll(async () => {
  cloud = await startCloudWithAda();
  site = createSignInFlow(cloud);
});
afterEach(() => cloud.faults.set({}));
afterAll(() => cloud.close());

describe('a callback', () => {
  const callbackOf = async (browser: CookieStore, change: (params: URLSearchParams) => void) => {
    const url = await site.login(await site.begin(browser, '/fr'));
    change(url.searchParams);
    return site.visit(browser, url);
  };

  // threat-model: T-017, T-019
  it.each<[string, (params: URLSearchParams) => void, string, string]>([
    ['without a state', (params) => params.delete('state'), 'invalid-callback', '/'],
    ['with an empty state', (params) => params.set('state', ''), 'invalid-callback', '/'],
    ['with two states', (params) => params.append('state', 'x'), 'invalid-callback', '/'],
    ['without a code', (params) => params.delete('code'), 'invalid-callback', '/'],
    ['with two codes', (params) => params.append('code', 'x'), 'invalid-callback', '/'],
    ['with code and error', (params) => params.set('error', 'access_denied'), 'invalid-callback', '/'],
    ['of another issuer', (params) => params.set('iss', 'https://evil.example'), 'invalid-callback', '/'],
    ['with a foreign state', (params) => params.set('state', 'x'.repeat(43)), 'expired', '/'],
    ['with a state of markup', (params) => params.set('state', '<script>&=;,"\r\n'), 'expired', '/'],
    ['with a state that says "state"', (params) => params.set('state', 'state'), 'expired', '/'],
    ['with a made-up code', (params) => params.set('code', '<b>'), 'expired', '/fr'],
  ])('%s signs nobody in, and says why', async (_, change, notice, path) => {
    const browser = createCookieStore();
    const { status, location, body } = await callbackOf(browser, change);
    expect([status, location?.href, body]).toEqual([302, APP_ORIGIN + path, '']);
    expect(noticeOf(browser)).toBe(notice);
    expect(await site.stateOf(browser)).toBe('anonymous');
  });

  // threat-model: T-022
  it.each([
    ['access_denied', 'cancelled'],
    ['invalid_request', 'refused'],
    ['login_required', 'refused'],
    ['server_error', 'unavailable'],
    ['<script>alert(1)</script>', 'refused'],
  ])('with the error %s is told as %s, in no words of the hosted login', async (error, notice) => {
    const browser = createCookieStore();
    const visit = await callbackOf(browser, (params) => {
      params.delete('code');
      params.set('error', error);
      params.set('error_description', '<img src=x onerror=alert(1)>');
    });
    expect(visit.location?.href).toBe(`${APP_ORIGIN}/fr`);
    expect(noticeOf(browser)).toBe(notice);
    expect(visit.body + visit.setCookies.join()).not.toMatch(/script|onerror/);
    expect(attemptCookiesOf(browser)).toEqual([]);
  });

  // threat-model: T-017
  it("of somebody else's sign-in is refused: it would sign the visitor in as them", async () => {
    const [attacker, victim] = [createCookieStore(), createCookieStore()];
    const url = await site.login(await site.begin(attacker));
    await site.begin(victim);
    cloud.faults.forgetCalls();
    await site.visit(victim, url);
    expect(await site.stateOf(victim)).toBe('anonymous');
    expect(noticeOf(victim)).toBe('expired');
    expect(cloud.faults.calls.token, 'the code is not even redeemed').toBeUndefined();
  });

  // threat-model: T-018
  it("whose code was swapped for another sign-in's is refused by its code challenge", async () => {
    const [attacker, victim] = [createCookieStore(), createCookieStore()];
    const theirs = await site.login(await site.begin(attacker));
    const ours = await site.login(await site.begin(victim));
    ours.searchParams.set('code', theirs.searchParams.get('code') ?? '');
    await site.visit(victim, ours);
    expect(await site.stateOf(victim)).toBe('anonymous');
  });

  // threat-model: T-021
  it("finds nothing in an attempt's cookie that was changed, renamed, or made up", async () => {
    const [browser, other] = [createCookieStore(), createCookieStore()];
    const url = await site.login(await site.begin(browser, '/fr'));
    await site.begin(other, '/de');
    const [name = ''] = attemptCookiesOf(browser);
    const [foreign = ''] = other.cookies.values();
    const own = browser.cookies.get(name) ?? '';
    const changed = own.slice(0, -1) + (own.endsWith('A') ? 'Q' : 'A');
    for (const value of [foreign, changed, '', `state=${url.searchParams.get('state')}`]) {
      const forged = createCookieStore(new Map([[name, value]]));
      expect((await site.visit(forged, url)).location?.pathname).toBe('/');
      expect(noticeOf(forged)).toBe('expired');
    }
    expect((await site.visit(browser, url)).location?.pathname).toBe('/fr');
  });

  // threat-model: T-020
  it('that is reloaded goes home quietly, and the visitor stays signed in', async () => {
    const browser = createCookieStore();
    const url = await site.login(await site.begin(browser));
    await site.visit(browser, url);
    const again = await site.visit(browser, url);
    expect(again.location?.href).toBe(`${APP_ORIGIN}/`);
    expect(noticeOf(browser)).toBeNull();
    expect(await site.stateOf(browser)).toBe('signed-in');
  });

  it('after more than ten minutes is too late', async () => {
    let now = Date.now();
    const at = createSignInFlow(cloud, { clock: () => now });
    const browser = createCookieStore();
    const url = await site.login(await at.begin(browser, '/'));
    now += 10 * 60_000;
    await at.visit(browser, url);
    expect(noticeOf(browser)).toBe('expired');
  });

  it("that belongs to nothing leads to the front page in the visitor's language", async () => {
    const browser = createCookieStore(new Map([['locale', 'hi']]));
    expect((await site.visit(browser, '/auth/callback')).location?.pathname).toBe('/hi');
  });

  it('is not started over when parameters are missing: there is no loop', async () => {
    const { location } = await site.visit(createCookieStore(), '/auth/callback?error=access_denied');
    expect(location?.origin).toBe(APP_ORIGIN);
  });

  // threat-model: T-027
  it.each([
    { service: 'token', kind: 'status', status: 503 },
    { service: 'token', kind: 'html' },
    { service: 'token', kind: 'reset' },
    { service: 'token', kind: 'invalid-json' },
    { service: 'token', kind: 'error', error: 'invalid_client' },
    { service: 'token', kind: 'hang' },
  ])('while the token endpoint fails is told within five seconds: $kind', async (fault) => {
    const browser = createCookieStore();
    const url = await site.login(await site.begin(browser, '/fr'));
    cloud.faults.set({ faults: [fault] });
    const started = Date.now();
    const visit = await site.visit(browser, url);
    expect(Date.now() - started).toBeLessThan(5000);
    expect(visit.location?.href).toBe(`${APP_ORIGIN}/fr`);
    expect(noticeOf(browser)).toBe('unavailable');
  });

  // threat-model: T-027
  it.each(['hang', 'html', 'reset'])(
    'while the keys cannot be had is told within five seconds: %s',
    async (kind) => {
      const at = createSignInFlow(cloud);
      const browser = createCookieStore();
      const url = await site.login(await at.begin(browser, '/'));
      cloud.faults.set({ faults: [{ service: 'jwks', kind }] });
      const started = Date.now();
      await at.visit(browser, url);
      expect(Date.now() - started).toBeLessThan(5000);
      expect(noticeOf(browser)).toBe('unavailable');
    },
  );
});
