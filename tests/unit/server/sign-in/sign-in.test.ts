import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createResponseCookies } from '../../../../app/server/cookies/cookie-jar.ts';
import type { Session } from '../../../../app/server/session/session.ts';
import { createSignIn } from '../../../../app/server/sign-in/sign-in.ts';
import { createCookieStore } from '../../../support/sign-in/cookie-store.ts';
import { createSessionHarness, sessionEnv } from '../../../support/sign-in/session-harness.ts';
import {
  claimsIssuedAt,
  createRefreshToken,
  type ScriptedUserPool,
  startScriptedUserPool,
} from '../../../support/upstreams/scripted-user-pool.ts';

const APP_ORIGIN = 'http://localhost:3000';
const MINUTE = 60_000;
const ANONYMOUS: Session = { state: 'anonymous' };

let pool: ScriptedUserPool;
beforeAll(async () => {
  pool = await startScriptedUserPool();
});
afterEach(() => pool.reset());
afterAll(() => pool.close());

/** One browser and the sign-in of one process. The user pool issues tokens for the nonce of the last attempt. */
function openSite() {
  const harness = createSessionHarness(pool);
  const { sessions, verifier, clock, time } = harness;
  const env = { appOrigin: APP_ORIGIN, session: sessionEnv, userPool: pool.userPool() };
  const signIn = createSignIn({ env, sessions, verifier, clock });
  const browser = createCookieStore();
  const attempt = { nonce: '', state: '' };
  pool.script({
    token: async () => {
      const claims = claimsIssuedAt(time.now);
      return {
        body: {
          access_token: await pool.accessToken(claims),
          id_token: await pool.idToken({ ...claims, nonce: attempt.nonce }),
          refresh_token: createRefreshToken(),
          token_type: 'Bearer',
        },
      };
    },
  });
  return {
    ...harness,
    browser,
    attempt,
    async begin(
      returnTo: string,
      page: 'sign-in' | 'sign-up' = 'sign-in',
      headers: Record<string, string> = {},
    ): Promise<URL> {
      const jar = createResponseCookies();
      const request = browser.request();
      for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
      const location = new URL(await signIn.begin(request, jar, page, returnTo));
      browser.receive(jar);
      attempt.nonce = location.searchParams.get('nonce') ?? '';
      attempt.state = location.searchParams.get('state') ?? '';
      return location;
    },
    async finish(parameters: Record<string, string> = { code: 'c' }, session: Session = ANONYMOUS) {
      const jar = createResponseCookies();
      const query = new URLSearchParams({ state: attempt.state, ...parameters });
      const outcome = await signIn.finish(browser.request(`/auth/callback?${query}`), jar, session);
      browser.receive(jar);
      return outcome;
    },
    logoutUrl: signIn.logoutUrl,
  };
}

describe('a sign-in', () => {
  it('returns to the page where it started, with a session and without the attempt', async () => {
    const site = openSite();
    await site.begin('/fr/test-message?x=1');
    expect(site.browser.cookies.size).toBe(1);
    expect(await site.finish()).toEqual({ returnTo: '/fr/test-message?x=1', error: null });
    expect((await site.visit(site.browser)).session).toMatchObject({
      state: 'signed-in',
      user: { email: 'ada@example.com' },
    });
    expect([...site.browser.cookies.keys()].filter((name) => !name.startsWith('__Host-session'))).toEqual([]);
  });

  it('opens the hosted login in the language of the page, or the page for new users', async () => {
    const site = openSite();
    const signIn = await site.begin('/fr/test-message');
    expect([signIn.pathname, signIn.searchParams.get('lang')]).toEqual(['/oauth2/authorize', 'fr']);
    const signUp = await site.begin('/de', 'sign-up');
    expect([signUp.pathname, signUp.searchParams.get('lang')]).toEqual(['/signup', 'de']);
  });

  it.each([
    ['cross-site', 'login'],
    ['same-origin', null],
  ])('that a %s request starts has the prompt %s at the hosted login', async (site, prompt) => {
    const location = await openSite().begin('/fr', 'sign-in', { 'sec-fetch-site': site });
    expect(location.searchParams.get('prompt')).toBe(prompt);
  });

  it.each([
    ['a path with its query, of 512 characters', `/fr?q=${'x'.repeat(506)}`, `/fr?q=${'x'.repeat(506)}`],
    ['the path alone, if both are longer', `/fr?q=${'x'.repeat(507)}`, '/fr'],
    ['a path of 512 characters', `/fr/${'x'.repeat(508)}?q=1`, `/fr/${'x'.repeat(508)}`],
    ['the home page, if the path alone is longer', `/fr/${'x'.repeat(509)}`, '/'],
  ])('returns to %s', async (_, path, returnTo) => {
    const site = openSite();
    await site.begin(path);
    expect((await site.finish()).returnTo).toBe(returnTo);
  });

  it('accepts one response only', async () => {
    const site = openSite();
    await site.begin('/fr');
    await site.finish();
    expect((await site.finish()).error).toMatchObject({ code: 'expired' });
  });

  it('ends the session that the browser had', async () => {
    const site = openSite();
    const { session } = await site.signIn({}, site.browser);
    const copy = site.browser.copy();
    pool.script({ revoke: () => ({}) });
    await site.begin('/fr');
    expect((await site.finish({ code: 'c' }, session)).error).toBeNull();
    expect((await site.visit(copy)).session).toEqual(ANONYMOUS);
  });

  it('knows the address that ends the session of the hosted login', () => {
    const url = new URL(openSite().logoutUrl);
    expect(url.pathname).toBe('/logout');
    expect(url.searchParams.get('logout_uri')).toBe(`${APP_ORIGIN}/`);
  });
});

describe('a callback that belongs to no attempt', () => {
  it.each([
    ['invalid-callback', 'no code and no error', {}],
    ['invalid-callback', 'another issuer', { code: 'c', iss: 'https://evil.example' }],
    ['expired', 'an unknown state', { code: 'c', state: 'unknown' }],
  ])('is reported as %s: %s', async (code, _, parameters) => {
    const site = openSite();
    await site.begin('/fr');
    expect(await site.finish(parameters)).toEqual({
      returnTo: '/',
      error: expect.objectContaining({
        code,
        message: 'the callback belongs to no sign-in attempt of this browser',
        fix: null,
      }),
    });
    expect(pool.received.token).toEqual([]);
  });

  it('is expired after ten minutes', async () => {
    const site = openSite();
    await site.begin('/fr');
    site.time.now += 10 * MINUTE;
    expect((await site.finish()).error).toMatchObject({ code: 'expired' });
  });

  it.each([
    ['fr', '/fr'],
    ['en', '/'],
    ['xx', '/'],
  ])('leads to the home page in the language of the cookie %s', async (locale, returnTo) => {
    const site = openSite();
    site.browser.cookies.set('locale', locale);
    expect((await site.finish()).returnTo).toBe(returnTo);
  });

  it('is no error for a visitor who is signed in', async () => {
    const site = openSite();
    const { session } = await site.signIn({}, site.browser);
    site.browser.cookies.set('locale', 'fr');
    expect(await site.finish({}, session)).toEqual({ returnTo: '/fr', error: null });
    expect(await site.finish({ code: 'c' }, session)).toEqual({ returnTo: '/fr', error: null });
    expect((await site.finish({}, { state: 'ended' })).error).not.toBeNull();
  });
});

describe('an error of the hosted login', () => {
  it.each([
    ['access_denied', 'cancelled', null],
    ['server_error', 'unavailable', null],
    ['temporarily_unavailable', 'unavailable', null],
    ['something_new', 'refused', null],
    ['invalid_scope', 'refused', 'Allow the scopes openid, email and profile'],
    ['unauthorized_client', 'refused', 'Allow the authorization code grant'],
  ])('%s is reported as %s', async (error, code, fix) => {
    const site = openSite();
    await site.begin('/fr');
    const outcome = await site.finish({ error });
    expect(outcome.returnTo).toBe('/fr');
    expect(outcome.error).toMatchObject({
      name: 'SignInError',
      code,
      message: 'the hosted login returned an error',
      cause: { code: error, state: site.attempt.state },
      fix: fix === null ? null : expect.stringContaining(fix),
    });
    expect(outcome.error?.fix ?? 'COGNITO_CLIENT_ID').toContain('COGNITO_CLIENT_ID');
    expect(pool.received.token).toEqual([]);
    expect(site.browser.cookies.size).toBe(0);
  });
});

describe('a code that cannot be exchanged', () => {
  /** Finishes a sign-in, some time after it started, while the token endpoint rejects every code. */
  async function finishWith(error: string, afterMs: number) {
    const site = openSite();
    pool.script({ token: () => ({ status: 400, body: { error } }) });
    await site.begin('/fr');
    site.time.now += afterMs;
    const outcome = await site.finish();
    expect((await site.visit(site.browser)).session).toEqual(ANONYMOUS);
    return outcome;
  }

  it.each([
    ['invalid_grant', 0, 'unavailable', 'read the attributes of its scopes'],
    ['invalid_grant', 5 * MINUTE - 1, 'unavailable', 'read the attributes of its scopes'],
    ['invalid_grant', 5 * MINUTE, 'expired', null],
    ['invalid_client', 0, 'unavailable', 'COGNITO_CLIENT_SECRET'],
    ['invalid_client', 5 * MINUTE, 'unavailable', 'COGNITO_CLIENT_SECRET'],
    ['something_new', 0, 'unavailable', null],
  ])('because of %s after %i ms is reported as %s', async (error, afterMs, code, fix) => {
    const outcome = await finishWith(error, afterMs);
    expect(outcome.returnTo).toBe('/fr');
    expect(outcome.error).toMatchObject({
      code,
      message: 'the token endpoint rejected the code',
      cause: { code: error },
    });
    expect(outcome.error?.fix ?? null).toEqual(fix === null ? null : expect.stringContaining(fix));
  });

  it('because the hosted login fails is reported as unavailable', async () => {
    const site = openSite();
    pool.script({ token: () => 'reset' });
    await site.begin('/fr');
    expect((await site.finish()).error).toMatchObject({
      code: 'unavailable',
      message: 'the code could not be exchanged for tokens',
      cause: expect.any(Error),
    });
  });

  it('because the token belongs to another sign-in is reported as an invalid token', async () => {
    const site = openSite();
    await site.begin('/fr');
    site.attempt.nonce = 'of another sign-in';
    expect((await site.finish()).error).toMatchObject({ code: 'invalid-token' });
    expect((await site.visit(site.browser)).session).toEqual(ANONYMOUS);
  });
});
