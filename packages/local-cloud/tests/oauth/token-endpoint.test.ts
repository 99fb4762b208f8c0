import { describe, expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../../tests/support/sign-in/hosted-login.ts';
import {
  CALLBACK_URL,
  createOAuthClient,
  type OAuthClient,
} from '../../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';
import {
  ann,
  fetchUserInfo,
  getTokensFromRefreshToken,
  signUpAtClient,
} from '../support/signed-up-client.ts';

const MINUTE = 60_000;

const local = startLocalCloudForTests();

describe('an authorization code', () => {
  const invalidGrant = { status: 400, body: { error: 'invalid_grant' } };

  async function obtainCode(changes: Record<string, string | null> = {}) {
    const client = createOAuthClient(local.cloud);
    const visitor = createHostedLoginVisitor(local.cloud);
    const callback = await visitor.signUp(client.authorizeUrl(changes), ann);
    return { client, visitor, callback };
  }

  const redeemWithoutVerifier = (client: OAuthClient, callback: URL) =>
    client.token({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      redirect_uri: CALLBACK_URL,
    });

  test('is valid once, and its second use revokes the tokens of the first', async () => {
    const { client, callback, accessToken, refreshToken } = await signUpAtClient(local.cloud);
    expect(await client.redeem(callback)).toEqual(invalidGrant);
    expect(await client.refresh(refreshToken)).toEqual(invalidGrant);
    expect((await fetchUserInfo(local.cloud, accessToken)).status).toBe(401);
  });

  test('is rejected after five minutes', async () => {
    const { client, callback } = await obtainCode();
    local.now += 5 * MINUTE;
    expect(await client.redeem(callback)).toEqual(invalidGrant);
  });

  test('is rejected without its code verifier, and with another redirect URI', async () => {
    const first = await obtainCode();
    expect(await redeemWithoutVerifier(first.client, first.callback)).toEqual(invalidGrant);
    const second = (await first.visitor.open(first.client.authorizeUrl())).url;
    const changed = { redirect_uri: `${CALLBACK_URL}/` };
    expect(await first.client.redeem(second, changed)).toEqual(invalidGrant);
  });

  test('is rejected with another code verifier, which consumes it', async () => {
    const { client, callback } = await obtainCode();
    expect(await createOAuthClient(local.cloud).redeem(callback)).toEqual(invalidGrant);
    expect(await client.redeem(callback)).toEqual(invalidGrant);
  });

  test('that was requested without PKCE is accepted from its client only, and without a code verifier only', async () => {
    const withoutPkce = { code_challenge: null, code_challenge_method: null };
    const { client, visitor, callback } = await obtainCode(withoutPkce);
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
    expect(await errorFor({}, basic(client_secret))).toBe('invalid_grant');
    expect(await errorFor({ client_id: id }, basic(client_secret))).toBe('invalid_grant');
    expect(await errorFor({ client_id: 'other' }, basic(client_secret))).toBe('invalid_request');
    // RFC 6749 section 2.3: a client uses one authentication method per request.
    expect(await errorFor({ client_secret }, basic(client_secret))).toBe('invalid_request');
  });

  test('accepts the id of a public client without a secret', async () => {
    const { client, refreshToken } = await signUpAtClient(local.cloud, 'public');
    expect((await client.refresh(refreshToken)).status).toBe(200);
  });
});

describe('the revocation endpoint', () => {
  test('revokes all tokens of a sign-in and no tokens of another sign-in', async () => {
    const { client, accessToken, refreshToken } = await signUpAtClient(local.cloud);
    const other = await client.redeem(
      await createHostedLoginVisitor(local.cloud).signIn(client.authorizeUrl(), ann),
    );
    expect(await client.revoke(refreshToken)).toBe(200);
    expect((await client.refresh(refreshToken)).body).toEqual({ error: 'invalid_grant' });
    expect((await getTokensFromRefreshToken(local.cloud, client, refreshToken)).body.message).toBe(
      'Refresh Token has been revoked',
    );
    expect((await fetchUserInfo(local.cloud, accessToken)).status).toBe(401);
    expect((await fetchUserInfo(local.cloud, other.body.access_token ?? '')).status).toBe(200);
  });

  test('responds with 200 to an unknown token, and with an error to an access token or a wrong client', async () => {
    const { client, accessToken } = await signUpAtClient(local.cloud);
    expect(await client.revoke('nonsense')).toBe(200);
    expect(await client.revoke(accessToken)).toBe(400);
    const anonymous = await fetch(`${local.cloud.origin}/oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: 'x', client_id: client.id }),
    });
    expect([anonymous.status, await anonymous.json()]).toEqual([401, { error: 'invalid_client' }]);
  });
});
