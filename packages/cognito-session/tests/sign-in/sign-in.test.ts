/** The sign-in through its routes, with a user pool whose responses the tests script. */

import { describe, expect, it } from 'vitest';
import { parseEnv } from '../../../../app/server/config/env.ts';
import { type AuthResponse, createAuthRoutes } from '../../../../tests/support/sign-in/auth-routes.ts';
import { type CookieStore, createCookieStore } from '../../../../tests/support/sign-in/cookie-store.ts';
import { forThisSite, other, otherHome } from '../../../../tests/support/this-site.ts';
import {
  claimsIssuedAt,
  createRefreshToken,
} from '../../../../tests/support/upstreams/scripted-user-pool.ts';
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';

const APP_ORIGIN = 'https://site.example';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const pool = await shareUserPool();

type Failure = {
  level: string;
  msg: string;
  fix?: string;
  err: { name: string; code: string; message: string; cause?: string };
};

/** One process of the site and one browser. The user pool redeems a `state` as the code of its own attempt. */
function openSite() {
  const time = { now: Date.now() };
  const variables = {
    APP_ORIGIN,
    SESSION_SECRETS: 'q3Lr8vWz1XcB6nM0aSdF9gHjK2pT5yUe',
    COGNITO_USER_POOL_ID: 'us-east-1_Scripted',
    COGNITO_CLIENT_ID: 'client',
    COGNITO_DOMAIN: 'https://login.example',
    COGNITO_IDENTITY_POOL_ID: 'us-east-1:0b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0',
    GRAPHQL_ENDPOINT: 'https://api.example/graphql',
  };
  const env = { ...parseEnv(variables), userPool: pool.userPool() };
  const routes = createAuthRoutes(env, () => time.now);
  // A browser that keeps no cookies at all gets another response.
  const browser = createCookieStore(new Map([['theme', 'dark']]));
  const nonces = new Map<string, string>();
  const issueTokens = () =>
    pool.script({
      revoke: () => ({}),
      token: async ({ body }) => {
        const claims = claimsIssuedAt(time.now);
        const nonce = nonces.get(new URLSearchParams(body).get('code') ?? '');
        return {
          body: {
            access_token: await pool.accessToken(claims),
            id_token: await pool.idToken({ ...claims, nonce }),
            refresh_token: createRefreshToken(),
            token_type: 'Bearer',
          },
        };
      },
    });
  issueTokens();

  /** Opens the callback. Returns the redirect, the notice for the next page, and what was logged about a failure. */
  async function callback(query: Record<string, string>) {
    const logged = routes.log().length;
    const response = await routes.visit(browser, `/auth/callback?${new URLSearchParams(query)}`);
    const lines = routes.log().slice(logged).split('\n').filter(Boolean);
    const failure: Failure | undefined = lines.map((line) => JSON.parse(line)).find(({ err }) => err);
    const notice = browser.cookies.get('__Host-notice') ?? null;
    browser.cookies.delete('__Host-notice');
    return { returnTo: pathOf(response), notice, failure: failure ?? null };
  }

  return {
    time,
    browser,
    nonces,
    callback,
    issueTokens,
    log: routes.log,
    /** Sends a callback from any browser. */
    visit: (from: CookieStore, begun: URL) =>
      routes.visit(
        from,
        `/auth/callback?${new URLSearchParams({ state: stateOf(begun), code: stateOf(begun) })}`,
      ),
    attempts: () => [...browser.cookies.keys()].filter((name) => name.startsWith('__Host-oauth')),
    sessionOf: async (from: CookieStore) => (await routes.visit(from, '/')).context.session,
    /** Starts a sign-in and returns the address at the hosted login. */
    async begin(path: string): Promise<URL> {
      const { location } = await routes.visit(browser, path);
      const { searchParams } = location ?? new URL('about:blank');
      nonces.set(searchParams.get('state') ?? '', searchParams.get('nonce') ?? '');
      return location ?? new URL('about:blank');
    },
    /** Returns from the hosted login with the code of this attempt. */
    finish: (begun: URL) => callback({ state: stateOf(begun), code: stateOf(begun) }),
  };
}

const stateOf = (begun: URL) => begun.searchParams.get('state') ?? '';
const pathOf = ({ location }: AuthResponse) => location?.href.replace(APP_ORIGIN, '');

describe('a sign-in', () => {
  it('returns to the page where it started, with a session and without the attempt', async () => {
    const site = openSite();
    const begun = await site.begin('/auth/sign-in?returnTo=/fr/test-message?x=1');
    expect([...site.browser.cookies.keys()]).toEqual(['theme', ...site.attempts()]);
    const returnTo = '/fr/test-message?x=1';
    expect(await site.finish(begun)).toEqual({ returnTo, notice: null, failure: null });
    expect(await site.sessionOf(site.browser)).toMatchObject({
      state: 'signed-in',
      user: { email: 'ada@example.com' },
    });
    expect(site.attempts()).toEqual([]);
  });

  it('accepts one response only', async () => {
    const site = openSite();
    const begun = await site.begin('/auth/sign-in?returnTo=/fr');
    await site.callback({ state: stateOf(begun), error: 'access_denied' });
    expect((await site.finish(begun)).notice).toBe('expired');
    expect(pool.received.token).toEqual([]);
  });

  it('ends the session that another tab has started since', async () => {
    const site = openSite();
    const [first, second] = [await site.begin('/auth/sign-in'), await site.begin('/auth/sign-in')];
    await site.finish(first);
    const copy = site.browser.copy();
    expect((await site.finish(second)).notice).toBeNull();
    expect((await site.sessionOf(site.browser)).state).toBe('signed-in');
    expect((await site.sessionOf(copy)).state).toBe('anonymous');
  });
});

describe('a callback that arrives twice', () => {
  // threat-model: T-020
  it('at once redeems its code once, and both responses start the same session', async () => {
    const site = openSite();
    const begun = await site.begin('/auth/sign-in?returnTo=/fr');
    const [first, second] = [site.browser.copy(), site.browser.copy()];
    const responses = await Promise.all([site.visit(first, begun), site.visit(second, begun)]);
    expect(responses.map(pathOf)).toEqual(['/fr', '/fr']);
    expect(pool.received.token).toHaveLength(1);
    const [one, other] = [await site.sessionOf(first), await site.sessionOf(second)];
    expect(one).toMatchObject({ state: 'signed-in' });
    expect(other).toEqual(one);
    expect(site.log().match(/session started/g)).toHaveLength(1);
    expect(pool.received.revoke).toEqual([]);
  });

  // threat-model: T-020
  it('from a browser without the cookie of the attempt gets no session, also during the exchange', async () => {
    const site = openSite();
    const begun = await site.begin('/auth/sign-in?returnTo=/fr');
    const [owner, thief] = [site.browser.copy(), createCookieStore(new Map([['theme', 'dark']]))];
    await Promise.all([site.visit(owner, begun), site.visit(thief, begun)]);
    expect((await site.sessionOf(owner)).state).toBe('signed-in');
    expect((await site.sessionOf(thief)).state).toBe('anonymous');
    expect(thief.cookies.get('__Host-notice')).toBe('expired');
  });

  it('within thirty seconds does not end the session that it has started', async () => {
    const site = openSite();
    const begun = await site.begin('/auth/sign-in?returnTo=/fr');
    const kept = site.browser.copy();
    await site.visit(site.browser, begun);
    for (const [name, value] of kept.cookies) site.browser.cookies.set(name, value);
    await site.visit(site.browser, begun);
    expect((await site.sessionOf(site.browser)).state).toBe('signed-in');
  });

  // threat-model: T-119
  it('from a client that keeps the cookie of its attempt redeems nothing for ten minutes', async () => {
    const site = openSite();
    const begun = await site.begin('/auth/sign-in?returnTo=/fr');
    const kept = site.browser.copy();
    await site.visit(site.browser, begun);
    for (const seconds of [31, 31, 500]) {
      site.time.now += seconds * 1000;
      const client = kept.copy();
      await site.visit(client, begun);
      expect((await site.sessionOf(client)).state).toBe('anonymous');
      expect(client.cookies.get('__Host-notice')).toBe('expired');
    }
    expect(pool.received.token).toHaveLength(1);
  });
});

// The library takes any request with a `state` for the response of the hosted login.
describe.each(['sign-in', 'sign-up'])('the address of %s with the parameters of a response', (page) => {
  it('begins a sign-in of its own, and neither redeems the code of an unfinished attempt nor ends it', async () => {
    const site = openSite();
    const unfinished = await site.begin('/auth/sign-in?returnTo=/fr');
    const state = stateOf(unfinished);
    const begun = await site.begin(`/auth/${page}?state=${state}&code=${state}`);
    expect(begun.origin).toBe(pool.userPool().domain);
    expect(stateOf(begun)).not.toBe(state);
    expect(pool.received.token).toEqual([]);
    expect(await site.finish(begun)).toEqual({ returnTo: '/', notice: null, failure: null });
    expect(await site.finish(unfinished)).toEqual({ returnTo: '/fr', notice: null, failure: null });
  });
});

describe('a callback that belongs to no attempt', () => {
  it.each([
    ['invalid-callback', 'another issuer', { state: 'own', code: 'c', iss: 'https://evil.example' }],
    ['expired', 'an unknown state', { state: 'unknown', code: 'c' }],
  ])('is reported as %s: %s', async (code, _, query: Record<string, string>) => {
    const site = openSite();
    const begun = await site.begin('/auth/sign-in?returnTo=/fr');
    const state = query.state === 'own' ? { state: stateOf(begun) } : {};
    expect(await site.callback({ ...query, ...state })).toEqual({
      returnTo: '/',
      notice: code,
      failure: expect.objectContaining({
        level: 'warn',
        msg: 'sign-in failed',
        err: expect.objectContaining({
          code,
          message: 'the callback belongs to no sign-in attempt of this browser',
        }),
      }),
    });
    expect(pool.received.token).toEqual([]);
    expect((await site.finish(begun)).notice).toBeNull();
  });

  // threat-model: T-021
  it('is expired although the browser has a cookie in the form of the library', async () => {
    const site = openSite();
    for (const name of ['oauth2', 'oauth2:1', '__Host-oauth', '__Host-oauth:1'])
      site.browser.cookies.set(name, 'state=forged&forged=verifier');
    expect((await site.callback({ state: 'forged', code: 'c' })).notice).toBe('expired');
    expect(pool.received.token).toEqual([]);
  });

  it.each(
    forThisSite([
      ['fr', '/fr'],
      ['xx', '/'],
    ]),
  )('leads to the home page in the language of the cookie %s', async (locale, returnTo) => {
    const site = openSite();
    site.browser.cookies.set('locale', locale);
    expect((await site.callback({})).returnTo).toBe(returnTo);
  });

  it('is no error for a visitor who is signed in, and one for a visitor whose session has ended', async () => {
    const site = openSite();
    const begun = await site.begin('/auth/sign-in?returnTo=/');
    await site.finish(begun);
    site.browser.cookies.set('locale', other.code);
    expect(await site.finish(begun)).toEqual({ returnTo: otherHome, notice: null, failure: null });
    expect(await site.callback({})).toEqual({ returnTo: otherHome, notice: null, failure: null });
    site.time.now += 31 * DAY;
    expect((await site.sessionOf(site.browser)).state).toBe('ended');
    expect((await site.callback({})).notice).toBe('invalid-callback');
  });
});

describe('an error of the hosted login', () => {
  it.each([
    ['access_denied', 'cancelled', null],
    ['server_error', 'unavailable', null],
    ['temporarily_unavailable', 'unavailable', null],
    ['something_new', 'refused', null],
    [
      'invalid_scope',
      'refused',
      expect.stringMatching(/^Allow the scopes openid, email and profile .*CLIENT_ID/),
    ],
    [
      'unauthorized_client',
      'refused',
      expect.stringMatching(/^Allow the authorization code grant .*CLIENT_ID/),
    ],
  ])('%s is reported as %s', async (error, code, fix) => {
    const site = openSite();
    const state = stateOf(await site.begin('/auth/sign-in?returnTo=/fr'));
    const query = { state, error, error_description: 'From outside' };
    const { returnTo, notice, failure } = await site.callback(query);
    expect([returnTo, notice]).toEqual(['/fr', code]);
    expect(failure).toMatchObject({
      level: fix === null ? 'warn' : 'error',
      msg: fix === null ? 'sign-in failed' : 'configuration error',
      err: {
        name: 'SignInError',
        code,
        message: 'the hosted login returned an error',
        cause: `Error: OAuth request error: ${error}`,
      },
    });
    expect(JSON.stringify(failure)).not.toContain('From outside');
    expect(failure?.fix ?? null).toEqual(fix);
    expect(pool.received.token).toEqual([]);
    expect(site.attempts()).toEqual([]);
  });
});

describe('a code that cannot be exchanged', () => {
  /** Finishes a sign-in, some time after it started, while the token endpoint rejects every code. */
  async function finishWith(error: string, afterMs: number, site = openSite()) {
    pool.script({ token: () => ({ status: 400, body: { error } }) });
    const begun = await site.begin('/auth/sign-in?returnTo=/fr');
    site.time.now += afterMs;
    const outcome = await site.finish(begun);
    expect((await site.sessionOf(site.browser)).state).toBe('anonymous');
    return outcome;
  }

  it.each([
    ['invalid_grant', 5 * MINUTE - 1, 'unavailable', null],
    ['invalid_grant', 5 * MINUTE, 'expired', null],
    ['invalid_client', 5 * MINUTE, 'unavailable', 'COGNITO_CLIENT_SECRET'],
    ['access_denied', 0, 'unavailable', null],
  ])('because of %s after %i ms is reported as %s', async (error, afterMs, code, fix) => {
    const { returnTo, notice, failure } = await finishWith(error, afterMs);
    expect([returnTo, notice]).toEqual(['/fr', code]);
    expect(failure?.err).toMatchObject({
      code,
      message: 'the token endpoint rejected the code',
      cause: `Error: OAuth request error: ${error}`,
    });
    expect(failure?.fix ?? null).toEqual(fix === null ? null : expect.stringContaining(fix));
  });

  it('because of invalid_grant is an error of the configuration when it repeats without a success', async () => {
    const site = openSite();
    const [first, second] = [
      await finishWith('invalid_grant', 0, site),
      await finishWith('invalid_grant', 0, site),
    ];
    expect([first.failure?.level, first.failure?.msg]).toEqual(['warn', 'sign-in failed']);
    expect([second.failure?.level, second.failure?.msg]).toEqual(['error', 'configuration error']);
    expect(second.failure?.fix).toContain('read the attributes of its scopes');
    site.issueTokens();
    expect((await site.finish(await site.begin('/auth/sign-in'))).notice).toBeNull();
    site.browser.cookies.delete('__Host-session');
    expect((await finishWith('invalid_grant', 0, site)).failure?.level).toBe('warn');
  });

  it('because the hosted login fails is reported as unavailable', async () => {
    const site = openSite();
    const begun = await site.begin('/auth/sign-in');
    pool.script({ token: () => 'reset' });
    const { notice, failure } = await site.finish(begun);
    expect(notice).toBe('unavailable');
    expect(failure?.err).toMatchObject({
      code: 'unavailable',
      message: 'the code could not be exchanged for tokens',
      cause: expect.stringMatching(/^UpstreamError: /),
    });
  });

  it('because the token belongs to another sign-in is reported as an invalid token', async () => {
    const site = openSite();
    const begun = await site.begin('/auth/sign-in');
    site.nonces.set(stateOf(begun), 'of another sign-in');
    expect((await site.finish(begun)).notice).toBe('invalid-token');
    expect((await site.sessionOf(site.browser)).state).toBe('anonymous');
  });
});
