import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hostedLoginLanguage } from '../../../../app/i18n/hosted-login.ts';
import { noMetrics } from '../../../../app/server/observability/metrics.ts';
import {
  createAuthenticator,
  createCallbackRequest,
  createLogoutUrl,
  nonceFor,
  parseAuthorizationResponse,
  readAuthorizationRequest,
  type SignInPage,
} from '../../../../app/server/user-pool/hosted-login.ts';
import { createTokenVerifier } from '../../../../app/server/user-pool/token-verifier.ts';
import { other } from '../../../support/this-site.ts';
import { CLIENT_ID, CLIENT_SECRET, claimsIssuedAt } from '../../../support/upstreams/scripted-user-pool.ts';
import { shareUserPool } from '../../../support/upstreams/shared-user-pool.ts';

const APP_ORIGIN = 'https://site.example';
const ISSUER = 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Example';

const pool = await shareUserPool();

function openLogin() {
  const env = { appOrigin: APP_ORIGIN, userPool: pool.userPool() };
  return createAuthenticator({
    env,
    verifier: createTokenVerifier({ env, clock: Date.now }),
    metrics: noMetrics,
  });
}

const begin = (page: SignInPage, returnTo = '/', headers: Record<string, string> = {}) =>
  readAuthorizationRequest(
    openLogin().authenticate(
      page,
      new Request(`${APP_ORIGIN}/auth/${page}?returnTo=${returnTo}`, { headers }),
    ),
  );

describe('an authorization request', () => {
  it('uses the code flow with PKCE, a nonce and the language of the page', async () => {
    const { location, state, codeVerifier } = await begin('sign-in', `/${other.code}/x`);
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
      nonce: hash('sha256', `nonce:${codeVerifier}`, 'base64url'),
      lang: hostedLoginLanguage(other.code),
    });
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
    expect(new URL(location).searchParams.get('prompt')).toBe(prompt);
  });

  it('is in English where no page is named', async () => {
    const authentication = openLogin().authenticate('sign-in', new Request(`${APP_ORIGIN}/auth/sign-in`));
    const { location } = await readAuthorizationRequest(authentication);
    expect(new URL(location).searchParams.get('lang')).toBe('en');
  });

  it('opens the page for new users with the same parameters', async () => {
    const names = async (page: SignInPage) =>
      [...new URL((await begin(page)).location).searchParams.keys()].sort();
    const { location } = await begin('sign-up', '/ar');
    expect(new URL(location).pathname).toBe('/signup');
    expect(new URL(location).searchParams.get('lang')).toBe('en');
    expect(await names('sign-up')).toEqual(await names('sign-in'));
  });
});

describe('an authentication', () => {
  const attempt = { state: 'the state', codeVerifier: 'the verifier' };
  const finish = (response: { state: string; code: string }, page: SignInPage = 'sign-in') =>
    openLogin().authenticate(page, createCallbackRequest({ appOrigin: APP_ORIGIN }, response, attempt));

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
      expect(result).toMatchObject({ tokens, verified: { user: { email: 'ada@example.com' } } });
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
    expect(await finish({ state: 'the state', code: 'c' })).toMatchObject({ tokens });
  });

  it('rejects a response whose state is not that of the attempt, without redeeming its code', async () => {
    await expect(finish({ state: 'another state', code: 'c' })).rejects.toThrow(RangeError);
    expect(pool.received.token).toEqual([]);
  });

  it('that finishes a sign-in is not read as one that begins', async () => {
    await issue(nonceFor('another verifier'));
    const authentication = finish({ state: 'the state', code: 'c' });
    await expect(readAuthorizationRequest(authentication)).rejects.toMatchObject({ code: 'invalid-token' });
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
