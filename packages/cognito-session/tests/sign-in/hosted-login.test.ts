import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { noMetrics } from '../../../../app/server/metrics/metrics.ts';
import { createCallbackRequest } from '../../../../tests/support/sign-in/callback-request.ts';
import { createCookieStore } from '../../../../tests/support/sign-in/cookie-store.ts';
import { createSessionHarness, sessionEnv } from '../../../../tests/support/sign-in/session-harness.ts';
import { other, otherHome } from '../../../../tests/support/this-site.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  claimsIssuedAt,
} from '../../../../tests/support/upstreams/scripted-user-pool.ts';
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';
import { createLog } from '../../../site-server/src/log/log.ts';
import { createResponseCookies } from '../../src/cookies/cookie-jar.ts';
import { createInMemoryStore } from '../../src/shared-store/in-memory-store.ts';
import {
  createAuthenticators,
  createLogoutUrl,
  nonceFor,
  parseAuthorizationResponse,
  type SignInPage,
} from '../../src/sign-in/hosted-login.ts';
import { SignInAttempts } from '../../src/sign-in/sign-in-attempt.ts';
import { createTokenVerifier } from '../../src/user-pool/token-verifier.ts';

const APP_ORIGIN = 'https://site.example';
const ISSUER = 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Example';

const pool = await shareUserPool();
const env = { appOrigin: APP_ORIGIN, session: sessionEnv, userPool: pool.userPool() };

/** Returns the access to the authenticators of a process, each with the cookies of its response. */
function openProcess() {
  const openAuthenticator = createAuthenticators({
    env,
    verifier: createTokenVerifier({ env, clock: Date.now }),
    sessions: createSessionHarness(pool).sessions,
    store: createInMemoryStore(Date.now),
    clock: Date.now,
    log: createLog('silent'),
    metrics: noMetrics,
    language: (returnTo) => (returnTo.startsWith(otherHome) ? 'xx' : 'en'),
  });
  return (caller = '192.0.2.1') => {
    const cookies = createResponseCookies();
    const session = { state: 'anonymous' } as const;
    return { cookies, authenticator: openAuthenticator({ cookies, session, caller: () => caller }) };
  };
}

/** Begins a sign-in and returns where the browser is redirected to, and the attempt that it stores. */
async function begin(page: SignInPage, returnTo = '/', headers: Record<string, string> = {}) {
  const { authenticator, cookies } = openProcess()();
  const request = new Request(`${APP_ORIGIN}/auth/${page}?returnTo=${returnTo}`, { headers });
  const thrown = await authenticator.authenticate(page, request).catch((error: unknown) => error);
  if (!(thrown instanceof Response)) throw new Error('The sign-in did not redirect');
  const location = new URL(thrown.headers.get('location') ?? '');
  const browser = createCookieStore();
  browser.receive(cookies);
  const state = location.searchParams.get('state') ?? '';
  const attempt = await new SignInAttempts({ env, clock: Date.now }).find(browser.request(), state);
  return { location, response: thrown, state, codeVerifier: attempt?.codeVerifier ?? '', attempt };
}

describe('an authorization request', () => {
  it('uses the code flow with PKCE, a nonce and the language of the page', async () => {
    const { location, state, codeVerifier } = await begin('sign-in', `/${other.code}/x`);
    expect(location.origin + location.pathname).toBe(`${pool.userPool().domain}/oauth2/authorize`);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      response_type: 'code',
      client_id: CLIENT_ID,
      redirect_uri: `${APP_ORIGIN}/auth/callback`,
      scope: 'openid email profile',
      state,
      code_challenge_method: 'S256',
      code_challenge: hash('sha256', codeVerifier, 'base64url'),
      nonce: hash('sha256', `nonce:${codeVerifier}`, 'base64url'),
      lang: 'xx',
    });
  });

  it('is a redirect that stores the attempt with its page in a sealed cookie of the site, and sets no other', async () => {
    const { response, attempt } = await begin('sign-in', '/fr?x=1');
    expect([response.status, response.headers.get('cache-control')]).toEqual([302, 'private, no-store']);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(attempt).toMatchObject({ returnTo: '/fr?x=1' });
  });

  it('has secrets of its own each time, also with cookies in the form of the library or malformed ones', async () => {
    const cookie = 'oauth2=state=x&x=y; oauth2:1=%E0%A4%A; =; oauth2';
    const [one, two] = [await begin('sign-in'), await begin('sign-in', '/', { cookie })];
    const secrets = [one.state, one.codeVerifier, two.state, two.codeVerifier];
    expect(new Set(secrets).size).toBe(4);
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
  });

  it.each([
    ['cross-site', 'login'],
    ['same-site', 'login'],
    ['same-origin', null],
    ['none', null],
  ])('that a %s request causes has the prompt %s', async (site, prompt) => {
    const { location } = await begin('sign-in', '/', { 'sec-fetch-site': site });
    expect(location.searchParams.get('prompt')).toBe(prompt);
  });

  it.each(['', 'https://evil.example/fr'])(
    'is in English where no page of the site is named: %j',
    async (to) => {
      const { location, attempt } = await begin('sign-in', to);
      expect([location.searchParams.get('lang'), attempt?.returnTo]).toEqual(['en', '/']);
    },
  );

  it('opens the page for new users with the same parameters', async () => {
    const names = async (page: SignInPage) => [...(await begin(page)).location.searchParams.keys()].sort();
    const { location } = await begin('sign-up', '/ar');
    expect(location.pathname).toBe('/signup');
    expect(location.searchParams.get('lang')).toBe('en');
    expect(await names('sign-up')).toEqual(await names('sign-in'));
  });
});

describe('an authentication at the callback', () => {
  const attempt = { state: 'the state', codeVerifier: 'the verifier', returnTo: '/fr' };
  const finish = async (response: { state: string; code: string }, page: SignInPage = 'sign-in') =>
    openProcess()().authenticator.authenticate(page, await createCallbackRequest(env, attempt, response));

  /** Makes the token endpoint issue tokens with this nonce, and returns them. */
  async function issue(nonce: string, refreshToken: string | null = 'r') {
    const claims = claimsIssuedAt(Date.now());
    const [accessToken, idToken] = [await pool.accessToken(claims), await pool.idToken({ ...claims, nonce })];
    const body = { access_token: accessToken, id_token: idToken, refresh_token: refreshToken };
    pool.script({ token: () => ({ body }) });
    return { accessToken, idToken, refreshToken };
  }

  it.each(['sign-in', 'sign-up'] as const)(
    'by the strategy of %s sends the code, its verifier and the credentials of the client, and verifies the tokens',
    async (page) => {
      const tokens = await issue(nonceFor('the verifier'));
      const result = await finish({ state: 'the state', code: 'the code' }, page);
      expect(result).toMatchObject({
        record: { tokens, user: { email: 'ada@example.com' } },
        returnTo: '/fr',
      });
      const [{ headers, body } = { headers: {}, body: '' }] = pool.received.token;
      expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
        grant_type: 'authorization_code',
        code: 'the code',
        code_verifier: 'the verifier',
        redirect_uri: `${APP_ORIGIN}/auth/callback`,
      });
      expect(headers.authorization).toBe(
        `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`,
      );
    },
  );

  it('returns no refresh token where the client gets none', async () => {
    const tokens = await issue(nonceFor('the verifier'), null);
    expect(await finish({ state: 'the state', code: 'c' })).toMatchObject({ record: { tokens } });
  });

  it('rejects a response whose state is not that of an attempt, without redeeming its code', async () => {
    const error = { name: 'SignInError', code: 'expired' };
    await expect(finish({ state: 'another state', code: 'c' })).rejects.toMatchObject(error);
    expect(pool.received.token).toEqual([]);
  });

  it('rejects the tokens of another attempt', async () => {
    await issue(nonceFor('another verifier'));
    const error = { name: 'SignInError', code: 'invalid-token', returnTo: '/fr' };
    await expect(finish({ state: 'the state', code: 'c' })).rejects.toMatchObject(error);
  });

  // threat-model: T-119
  it('leaves places for other addresses when one of them redeems many codes', async () => {
    const open = openProcess();
    const redeem = async (state: string, caller: string) => {
      const request = await createCallbackRequest(env, { ...attempt, state }, { state, code: state });
      return open(caller).authenticator.authenticate('sign-in', request);
    };
    const released: (() => void)[] = [];
    pool.script({
      token: () => new Promise((resolve) => released.push(() => resolve({ status: 400, body: '' }))),
    });
    const hostile = Array.from({ length: 40 }, (_, index) => redeem(`made-up ${index}`, '192.0.2.1'));
    await expect.poll(() => released.length).toBe(25);
    const honest = redeem('honest', '192.0.2.2');
    await expect.poll(() => released.length).toBe(26);
    pool.script({ token: () => ({ status: 400, body: '' }) });
    for (const release of released) release();
    const outcomes = await Promise.allSettled([...hostile, honest]);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(41).fill('rejected'));
  });
});

describe('the redirect back to the site', () => {
  const parse = (query: string) => parseAuthorizationResponse(new URLSearchParams(query), ISSUER);

  it.each([
    ['code=c&state=s', { state: 's', code: 'c' }],
    [`code=c&state=s&iss=${ISSUER}`, { state: 's', code: 'c' }],
    ['code=c&state=s&other=x&other=y', { state: 's', code: 'c' }],
    [`error=access_denied&state=s&iss=${ISSUER}`, { state: 's', error: 'access_denied' }],
  ])('is accepted: %s', (query, response) => {
    expect(parse(query)).toEqual(response);
  });

  it.each([
    'code=c',
    'state=s',
    'code=c&state=',
    'code=&state=s',
    'error=&state=s',
    'code=c&error=e&state=s',
    'code=c&error=&state=s',
    'code=&error=e&state=s',
    'code=c&state=s&state=s',
    'code=c&code=c&state=s',
    'error=e&error=e&state=s',
    `code=c&state=s&iss=${ISSUER}&iss=${ISSUER}`,
    `code=c&state=s&iss=${ISSUER}2`,
    'code=c&state=s&iss=',
  ])('is rejected: %s', (query) => {
    expect(parse(query)).toBeNull();
  });

  it.each([
    ['state', 128],
    ['code', 2048],
    ['error', 100],
  ])('has a `%s` of at most %i characters', (name, max) => {
    const other = name === 'state' ? { code: 'c' } : { state: 's' };
    const parseLength = (length: number) =>
      parse(new URLSearchParams({ ...other, [name]: 'a'.repeat(length) }).toString());
    expect(parseLength(max)).toMatchObject({ [name]: 'a'.repeat(max) });
    expect(parseLength(max + 1)).toBeNull();
  });

  it('has no other characters than RFC 6749 allows (appendix A)', () => {
    const allowed = (name: string, params: Record<string, string>) =>
      Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
        .filter((character) => parse(new URLSearchParams({ ...params, [name]: character }).toString()))
        .join('');
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
    expect(allowed('state', { code: 'c' })).toBe(printable);
    expect(allowed('code', { state: 's' })).toBe(printable);
    expect(allowed('error', { state: 's' })).toBe(printable.replace('"', '').replace('\\', ''));
    expect(parse('code=c%0a&state=s')).toBeNull();
    expect(parse('code=c&state=s%0a')).toBeNull();
    expect(parse('error=e%0a&state=s')).toBeNull();
  });
});

it('the sign-out address names the client and the home page of the site', () => {
  const url = new URL(createLogoutUrl({ appOrigin: APP_ORIGIN, userPool: pool.userPool() }));
  expect(url.origin + url.pathname).toBe(`${pool.userPool().domain}/logout`);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: CLIENT_ID,
    logout_uri: `${APP_ORIGIN}/`,
  });
});
