import { hash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createLogoutUrl,
  HostedLogin,
  nonceFor,
  parseAuthorizationResponse,
} from '../../../../app/server/user-pool/hosted-login.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type ScriptedUserPool,
  startScriptedUserPool,
} from '../../../support/upstreams/scripted-user-pool.ts';

const APP_ORIGIN = 'https://site.example';
const ISSUER = 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Example';

let pool: ScriptedUserPool;
beforeAll(async () => {
  pool = await startScriptedUserPool();
});
afterEach(() => pool.reset());
afterAll(() => pool.close());

const login = () => new HostedLogin({ appOrigin: APP_ORIGIN, userPool: pool.userPool() });

describe('an authorization request', () => {
  it('uses the code flow with PKCE, a nonce and the language of the page', () => {
    const { location, state, codeVerifier } = login().createAuthorizationRequest('sign-in', 'fr');
    const url = new URL(location);
    expect(url.origin + url.pathname).toBe(`${pool.userPool().domain}/oauth2/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: CLIENT_ID,
      redirect_uri: `${APP_ORIGIN}/auth/callback`,
      scope: 'openid email profile',
      state,
      code_challenge_method: 'S256',
      code_challenge: hash('sha256', codeVerifier, 'base64url'),
      nonce: nonceFor(codeVerifier),
      lang: 'fr',
    });
  });

  it('has secrets of its own each time', () => {
    const [one, two] = [
      login().createAuthorizationRequest('sign-in', 'en'),
      login().createAuthorizationRequest('sign-in', 'en'),
    ];
    expect(one.state).not.toBe(two.state);
    expect(one.codeVerifier).not.toBe(two.codeVerifier);
    for (const secret of [one.state, one.codeVerifier]) expect(secret).toMatch(/^[\w-]{43}$/);
  });

  it('asks for the password despite a session of the hosted login if it should', () => {
    const { location } = login().createAuthorizationRequest('sign-in', 'en', { asksAgain: true });
    expect(new URL(location).searchParams.get('prompt')).toBe('login');
  });

  it('opens the page for new users with the same parameters', () => {
    const names = (page: 'sign-in' | 'sign-up') =>
      [...new URL(login().createAuthorizationRequest(page, 'en').location).searchParams.keys()].sort();
    const { location } = login().createAuthorizationRequest('sign-up', 'ar');
    expect(new URL(location).pathname).toBe('/signup');
    expect(new URL(location).searchParams.get('lang')).toBe('en');
    expect(names('sign-up')).toEqual(names('sign-in'));
  });
});

describe('the nonce', () => {
  it('is derived from the code verifier and does not reveal it', () => {
    expect(nonceFor('verifier')).toBe(hash('sha256', 'nonce:verifier', 'base64url'));
    expect(nonceFor('verifier')).not.toBe(hash('sha256', 'verifier', 'base64url'));
  });
});

describe('a code exchange', () => {
  const tokens = { access_token: 'a', id_token: 'i', token_type: 'Bearer' };

  it('sends the code, its verifier and the credentials of the client, and returns the tokens', async () => {
    pool.script({ token: () => ({ body: { ...tokens, refresh_token: 'r' } }) });
    expect(await login().exchangeCode('the code', 'the verifier', new AbortController().signal)).toEqual({
      accessToken: 'a',
      idToken: 'i',
      refreshToken: 'r',
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
  });

  it('returns no refresh token where the client gets none', async () => {
    pool.script({ token: () => ({ body: tokens }) });
    expect(await login().exchangeCode('code', 'verifier', new AbortController().signal)).toMatchObject({
      refreshToken: null,
    });
  });
});

describe('the redirect back to the site', () => {
  const parse = (query: string) => parseAuthorizationResponse(new URLSearchParams(query), ISSUER);

  it.each([
    ['code=c&state=s', { state: 's', code: 'c' }],
    [`code=c&state=s&iss=${ISSUER}`, { state: 's', code: 'c' }],
    ['code=c&state=s&other=x&other=y', { state: 's', code: 'c' }],
    ['error=access_denied&state=s', { state: 's', error: 'access_denied' }],
    [`error=access_denied&state=s&iss=${ISSUER}`, { state: 's', error: 'access_denied' }],
  ])('is accepted: %s', (query, response) => {
    expect(parse(query)).toEqual(response);
  });

  it.each([
    '',
    'code=c',
    'state=s',
    'code=c&state=',
    'code=&state=s',
    'error=&state=s',
    'code=&error=&state=s',
    'code=c&error=e&state=s',
    'code=c&error=&state=s',
    'code=&error=e&state=s',
    'code=c&state=s&state=s',
    'code=c&code=c&state=s',
    'error=e&error=e&state=s',
    `code=c&state=s&iss=${ISSUER}&iss=${ISSUER}`,
    `code=c&state=s&iss=${ISSUER}2`,
    'code=c&state=s&iss=',
    'error=e&state=s&iss=https://evil.example',
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
    expect(parseLength(31_000)).toBeNull();
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
