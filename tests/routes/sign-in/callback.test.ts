import { describe, expect, it } from 'vitest';
import { type CookieStore, createCookieStore } from '../../support/sign-in/cookie-store.ts';
import {
  attemptCookiesOf,
  createSignInFlow,
  noticeOf,
  setUpSignInFlow,
} from '../../support/sign-in/sign-in-flow.ts';
import { APP_ORIGIN } from '../../support/sign-in/signed-in-session.ts';
import { other, otherHome } from '../../support/this-site.ts';
import { settlesWithin } from '../../support/timing/settles-within.ts';

const setup = setUpSignInFlow();

describe('a callback', () => {
  const callbackOf = async (browser: CookieStore, change: (params: URLSearchParams) => void) => {
    const url = await setup.site.login(await setup.site.begin(browser, otherHome));
    change(url.searchParams);
    return setup.site.visit(browser, url);
  };

  // threat-model: T-017, T-019
  it.each<[string, (params: URLSearchParams) => void, string, string]>([
    ['with two states', (params) => params.append('state', 'x'), 'invalid-callback', '/'],
    ['of another issuer', (params) => params.set('iss', 'https://evil.example'), 'invalid-callback', '/'],
    ['with an unknown state', (params) => params.set('state', 'x'.repeat(43)), 'expired', '/'],
    ['with markup as its state', (params) => params.set('state', '<script>&=;,"'), 'expired', '/'],
    ['with "state" as its state', (params) => params.set('state', 'state'), 'expired', '/'],
    ['with a made-up code', (params) => params.set('code', '<b>'), 'unavailable', otherHome],
  ])('%s starts no session and sets a notice', async (_name, change, notice, path) => {
    const browser = createCookieStore();
    const { status, location, body } = await callbackOf(browser, change);
    expect([status, location?.href, body]).toEqual([302, APP_ORIGIN + path, '']);
    expect(noticeOf(browser)).toBe(notice);
    expect(await setup.site.stateOf(browser)).toBe('anonymous');
  });

  // threat-model: T-022
  it.each([
    ['access_denied', 'cancelled'],
    ['constructor', 'refused'],
    ['<script>alert(1)</script>', 'refused'],
  ])('with the error %s sets the notice %s and shows nothing of the description', async (error, notice) => {
    const browser = createCookieStore();
    const visit = await callbackOf(browser, (params) => {
      params.delete('code');
      params.set('error', error);
      params.set('error_description', '<img src=x onerror=alert(1)>');
    });
    expect(visit.location?.href).toBe(`${APP_ORIGIN}${otherHome}`);
    expect(noticeOf(browser)).toBe(notice);
    expect(visit.body + visit.setCookies.join()).not.toMatch(/script|onerror/);
    expect(attemptCookiesOf(browser)).toEqual([]);
  });

  // threat-model: T-017
  it('of another visitor’s sign-in attempt is rejected', async () => {
    const [attacker, victim] = [createCookieStore(), createCookieStore()];
    const url = await setup.site.login(await setup.site.begin(attacker));
    await setup.site.begin(victim);
    setup.cloud.faults.forgetCalls();
    await setup.site.visit(victim, url);
    expect(await setup.site.stateOf(victim)).toBe('anonymous');
    expect(noticeOf(victim)).toBe('expired');
    expect(setup.cloud.faults.calls.token, 'the code is not redeemed').toBeUndefined();
  });

  // threat-model: T-018
  it('with the code of another sign-in attempt is rejected because of its code challenge', async () => {
    const [attacker, victim] = [createCookieStore(), createCookieStore()];
    const attackerUrl = await setup.site.login(await setup.site.begin(attacker));
    const victimUrl = await setup.site.login(await setup.site.begin(victim));
    victimUrl.searchParams.set('code', attackerUrl.searchParams.get('code') ?? '');
    await setup.site.visit(victim, victimUrl);
    expect(await setup.site.stateOf(victim)).toBe('anonymous');
  });

  // threat-model: T-021
  it('ignores a sign-in attempt cookie that is changed, renamed or forged', async () => {
    const [browser, elsewhere] = [createCookieStore(), createCookieStore()];
    const url = await setup.site.login(await setup.site.begin(browser, otherHome));
    await setup.site.begin(elsewhere, '/');
    const [name = ''] = attemptCookiesOf(browser);
    const [renamed = ''] = elsewhere.cookies.values();
    const own = browser.cookies.get(name) ?? '';
    const changed = own.slice(0, -1) + (own.endsWith('A') ? 'Q' : 'A');
    for (const value of [renamed, changed, '', `state=${url.searchParams.get('state')}`]) {
      const forged = createCookieStore(new Map([[name, value]]));
      expect((await setup.site.visit(forged, url)).location?.pathname).toBe('/');
      expect(noticeOf(forged)).toBe('expired');
    }
    expect((await setup.site.visit(browser, url)).location?.pathname).toBe(otherHome);
  });

  // threat-model: T-020
  it('that is reloaded redirects to the home page without a notice and keeps the session', async () => {
    const browser = createCookieStore();
    const url = await setup.site.login(await setup.site.begin(browser));
    await setup.site.visit(browser, url);
    const again = await setup.site.visit(browser, url);
    expect(again.location?.href).toBe(`${APP_ORIGIN}/`);
    expect(noticeOf(browser)).toBeNull();
    expect(await setup.site.stateOf(browser)).toBe('signed-in');
  });

  it('without a sign-in attempt redirects to the home page in the language of the visitor', async () => {
    const browser = createCookieStore(new Map([['locale', other.code]]));
    expect((await setup.site.visit(browser, '/auth/callback')).location?.pathname).toBe(otherHome);
  });

  it('with missing parameters does not start another sign-in, which could loop', async () => {
    const browser = createCookieStore(new Map([['theme', 'dark']]));
    const { location } = await setup.site.visit(browser, '/auth/callback?error=access_denied');
    expect(location?.origin).toBe(APP_ORIGIN);
  });

  // threat-model: T-027
  it.each([
    { service: 'token', kind: 'status', status: 503 },
    { service: 'token', kind: 'hang' },
  ])('sets a notice within five seconds when the token endpoint fails: $kind', async (fault) => {
    const browser = createCookieStore();
    const url = await setup.site.login(await setup.site.begin(browser, otherHome));
    setup.cloud.faults.set({ faults: [fault] });
    const visit = await settlesWithin(5000, setup.site.visit(browser, url));
    expect(visit.location?.href).toBe(`${APP_ORIGIN}${otherHome}`);
    expect(noticeOf(browser)).toBe('unavailable');
  });

  // threat-model: T-027
  it.each(['hang', 'html'])(
    'sets a notice within five seconds when the keys of the user pool cannot be loaded: %s',
    async (kind) => {
      const ownSite = createSignInFlow(setup.cloud);
      const browser = createCookieStore();
      const url = await setup.site.login(await ownSite.begin(browser, '/'));
      setup.cloud.faults.set({ faults: [{ service: 'jwks', kind }] });
      await settlesWithin(5000, ownSite.visit(browser, url));
      expect(noticeOf(browser)).toBe('unavailable');
    },
  );
});
