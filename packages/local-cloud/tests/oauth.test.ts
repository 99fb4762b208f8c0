import { describe, expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../tests/support/sign-in/hosted-login.ts';
import {
  CALLBACK_URL,
  createOAuthClient,
  type OAuthClient,
  SITE_ORIGIN,
} from '../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloudForTests } from './support/local-cloud-per-file.ts';
import { ann, callAws, signUpAtClient, statusWith } from './support/signed-up-client.ts';

const MINUTE = 60_000;
const invalidGrant = { status: 400, body: { error: 'invalid_grant' } };
const withoutPkce = { code_challenge: null, code_challenge_method: null };
const local = startLocalCloudForTests();

const authorizeUrl = (changes: Record<string, string | null> = {}) =>
  createOAuthClient(local.cloud).authorizeUrl(changes);
const open = (changes: Record<string, string | null>) =>
  createHostedLoginVisitor(local.cloud).open(authorizeUrl(changes));

async function signUp(changes: Record<string, string | null> = {}) {
  const client = createOAuthClient(local.cloud);
  const visitor = createHostedLoginVisitor(local.cloud);
  const callback = await visitor.signUp(client.authorizeUrl(changes), ann);
  return { client, visitor, callback };
}

describe('an authorization request', () => {
  test.each([
    ['another path', { redirect_uri: `${SITE_ORIGIN}/auth/callback/` }],
    ['a query', { redirect_uri: `${SITE_ORIGIN}/auth/callback?next=/` }],
    ['another site', { redirect_uri: 'https://evil.example/auth/callback' }],
    ['an unknown client', { client_id: 'unknown' }],
  ])('with %s is redirected to the local error page', async (_difference, changes) => {
    const step = await open(changes);
    expect([step.url.origin, step.url.pathname, step.status]).toEqual([local.cloud.origin, '/error', 400]);
    expect(step.html).not.toContain('evil.example');
  });

  test.each([
    ['no response_type', { response_type: null }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unauthorized_client'],
    ['a code_challenge_method alone', { code_challenge: null }, 'invalid_request'],
    ['a plain code_challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a malformed code_challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['a scope that is not allowed', { scope: 'openid admin' }, 'invalid_scope'],
    ['prompt=none with another prompt', { prompt: 'none login' }, 'invalid_request'],
    ['prompt=none and no session', { prompt: 'none' }, 'login_required'],
  ])('with %s is redirected to the site with an error and the state', async (_problem, changes, error) => {
    const { url } = await open(changes);
    expect(url.href).toBe(`${CALLBACK_URL}?state=the-state&error=${error}`);
  });

  test('with a duplicate parameter is rejected', async () => {
    const { url } = await createHostedLoginVisitor(local.cloud).open(`${authorizeUrl()}&state=another`);
    expect(url.searchParams.get('error')).toBe('invalid_request');
  });

  test('of a signed-in visitor leads to the sign-in page with prompt=login, and to the site with prompt=none', async () => {
    const { visitor } = await signUp();
    expect((await visitor.open(authorizeUrl({ prompt: 'login' }))).url.pathname).toBe('/login');
    const { url } = await visitor.open(authorizeUrl({ prompt: 'none' }));
    expect(url.searchParams.get('code')).toBeTruthy();
  });

  test('fills in the address in login_hint, escaped', async () => {
    const { html } = await open({ login_hint: '"><script>alert(1)</script>' });
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
  });
});

describe('an authorization code', () => {
  const redeemWithoutVerifier = (client: OAuthClient, callback: URL) =>
    client.token({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      redirect_uri: CALLBACK_URL,
    });

  test('is valid once, and its second use revokes the tokens of the first', async () => {
    const { client, callback, accessToken, refreshToken } = await signUpAtClient(local.cloud);
    expect(await statusWith(local.cloud, accessToken)).toBe(200);
    expect(await client.redeem(callback)).toEqual(invalidGrant);
    expect(await client.refresh(refreshToken)).toEqual(invalidGrant);
    expect(await statusWith(local.cloud, accessToken)).toBe(401);
  });

  test('is rejected after five minutes', async () => {
    const { client, callback } = await signUp();
    local.now += 5 * MINUTE;
    expect(await client.redeem(callback)).toEqual(invalidGrant);
  });

  test('is rejected without its code verifier, and with another redirect URI or code verifier', async () => {
    const { client, visitor, callback } = await signUp();
    expect(await redeemWithoutVerifier(client, callback)).toEqual(invalidGrant);
    const nextCallback = async () => (await visitor.open(client.authorizeUrl())).url;
    const changed = { redirect_uri: `${CALLBACK_URL}/` };
    expect(await client.redeem(await nextCallback(), changed)).toEqual(invalidGrant);
    const second = await nextCallback();
    expect(await createOAuthClient(local.cloud).redeem(second)).toEqual(invalidGrant);
    expect(await client.redeem(second), 'the failed attempt has consumed it').toEqual(invalidGrant);
  });

  test('that was requested without PKCE is accepted from its client only, and without a code verifier only', async () => {
    const { client, visitor, callback } = await signUp(withoutPkce);
    const other = createOAuthClient(local.cloud, 'plain');
    expect(await redeemWithoutVerifier(other, callback)).toEqual(invalidGrant);
    expect((await redeemWithoutVerifier(client, callback)).status).toBe(200);
    const second = (await visitor.open(client.authorizeUrl(withoutPkce))).url;
    expect(await client.redeem(second)).toEqual(invalidGrant);
  });
});

describe('the token endpoint', () => {
  test.each([
    [{}, 'invalid_request'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'authorization_code' }, 'invalid_request'],
    [{ grant_type: 'refresh_token', refresh_token: 'nonsense' }, 'invalid_grant'],
  ])('responds to %j with the error %s', async (form: Record<string, string>, error) => {
    expect(await createOAuthClient(local.cloud).token(form)).toEqual({ status: 400, body: { error } });
  });

  test('rejects a client without its secret', async () => {
    const { id, secret } = createOAuthClient(local.cloud);
    const client_secret = secret ?? '';
    const basic = (given: string) => `Basic ${Buffer.from(`${id}:${given}`).toString('base64')}`;
    const errorFor = async (form: Record<string, string>, authorization?: string) => {
      const response = await fetch(`${local.cloud.origin}/oauth2/token`, {
        method: 'POST',
        headers: authorization ? { authorization } : {},
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', ...form }),
      });
      return (await response.json()).error;
    };
    expect(await errorFor({ client_id: id })).toBe('invalid_client');
    expect(await errorFor({ client_id: id, client_secret: 'wrong' })).toBe('invalid_client');
    expect(await errorFor({ client_id: id, client_secret })).toBe('invalid_grant');
    expect(await errorFor({}, basic('wrong'))).toBe('invalid_client');
    expect(await errorFor({ client_id: id }, basic(client_secret))).toBe('invalid_grant');
    expect(await errorFor({ client_id: 'other' }, basic(client_secret))).toBe('invalid_request');
    // RFC 6749 section 2.3: a client uses one authentication method per request.
    expect(await errorFor({ client_secret }, basic(client_secret))).toBe('invalid_request');
  });
});

describe('the revocation endpoint', () => {
  test('revokes all tokens of a sign-in and no tokens of another sign-in', async () => {
    const { client, accessToken, refreshToken } = await signUpAtClient(local.cloud);
    const visitor = createHostedLoginVisitor(local.cloud);
    const other = await client.redeem(await visitor.signIn(client.authorizeUrl(), ann));
    expect(await client.revoke(refreshToken)).toBe(200);
    expect(await client.refresh(refreshToken)).toEqual(invalidGrant);
    const input = { ClientId: client.id, ClientSecret: client.secret, RefreshToken: refreshToken };
    const { body } = await callAws(local.cloud, 'cognito-idp', 'GetTokensFromRefreshToken', input);
    expect(body.message).toBe('Refresh Token has been revoked');
    expect(await statusWith(local.cloud, accessToken)).toBe(401);
    expect(await statusWith(local.cloud, other.body.access_token ?? '')).toBe(200);
  });

  test('responds with 200 to an unknown token, and with an error to an access token or a wrong client', async () => {
    const { client, accessToken } = await signUpAtClient(local.cloud);
    expect(await client.revoke('nonsense')).toBe(200);
    expect(await client.revoke(accessToken)).toBe(400);
    expect(await createOAuthClient(local.cloud, 'public').revoke('nonsense')).toBe(200);
    const anonymous = await fetch(`${local.cloud.origin}/oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: 'x', client_id: client.id }),
    });
    expect([anonymous.status, await anonymous.json()]).toEqual([401, { error: 'invalid_client' }]);
  });
});

describe('the logout endpoint', () => {
  test('does not redirect to an unregistered URL and does not end the session', async () => {
    const { client, visitor } = await signUp();
    const params = new URLSearchParams({ client_id: client.id, logout_uri: 'https://evil.example/' });
    const step = await visitor.open(`${local.cloud.origin}/logout?${params}`);
    expect([step.url.pathname, step.status]).toEqual(['/error', 400]);
    expect((await visitor.open(authorizeUrl())).url.origin).toBe(SITE_ORIGIN);
  });

  test('redirects to the sign-in page when it has a redirect_uri', async () => {
    const { visitor } = await signUp();
    const step = await visitor.open(authorizeUrl().replace('/oauth2/authorize', '/logout'));
    expect([step.url.pathname, step.status]).toEqual(['/login', 200]);
  });
});
