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
  test('is valid once, and its second use revokes the tokens of the first', async () => {
    const { client, callback, accessToken, refreshToken } = await signUpAtClient(local.cloud);
    expect(await client.redeem(callback)).toEqual({ status: 400, body: { error: 'invalid_grant' } });
    expect(await client.refresh(refreshToken)).toEqual({ status: 400, body: { error: 'invalid_grant' } });
    expect((await fetchUserInfo(local.cloud, accessToken)).status).toBe(401);
  });

  test.each<[string, (client: OAuthClient, callback: URL) => ReturnType<OAuthClient['token']>]>([
    [
      'after five minutes',
      (client, callback) => {
        local.now += 5 * MINUTE;
        return client.redeem(callback);
      },
    ],
    ['with another code verifier', (_, callback) => createOAuthClient(local.cloud).redeem(callback)],
    [
      'without its code verifier',
      (client, callback) => {
        const code = callback.searchParams.get('code') ?? '';
        return client.token({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK_URL });
      },
    ],
    [
      'with another redirect URI',
      (client, callback) => client.redeem(callback, { redirect_uri: `${CALLBACK_URL}/` }),
    ],
  ])('is rejected %s', async (_, redeem) => {
    const client = createOAuthClient(local.cloud);
    const callback = await createHostedLoginVisitor(local.cloud).signUp(client.authorizeUrl(), ann);
    expect(await redeem(client, callback)).toEqual({ status: 400, body: { error: 'invalid_grant' } });
  });

  test('is consumed by a failed attempt', async () => {
    const client = createOAuthClient(local.cloud);
    const callback = await createHostedLoginVisitor(local.cloud).signUp(client.authorizeUrl(), ann);
    await createOAuthClient(local.cloud).redeem(callback);
    expect((await client.redeem(callback)).body).toEqual({ error: 'invalid_grant' });
  });

  test('that was requested without PKCE is accepted from its client only, and without a code verifier only', async () => {
    const client = createOAuthClient(local.cloud);
    const visitor = createHostedLoginVisitor(local.cloud);
    const withoutPkce = client.authorizeUrl({ code_challenge: null, code_challenge_method: null });
    const form = (callback: URL) => ({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      redirect_uri: CALLBACK_URL,
    });
    const callback = await visitor.signUp(withoutPkce, ann);
    const other = await createOAuthClient(local.cloud, 'plain').token(form(callback));
    expect(other.body).toEqual({ error: 'invalid_grant' });
    expect((await client.token(form(callback))).status).toBe(200);
    const second = (await visitor.open(withoutPkce)).url;
    expect((await client.redeem(second)).body).toEqual({ error: 'invalid_grant' });
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
    const send = async (headers: Record<string, string>, form: Record<string, string>) =>
      (
        await fetch(`${local.cloud.origin}/oauth2/token`, {
          method: 'POST',
          headers,
          body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', ...form }),
        })
      ).json();
    expect(await send({}, { client_id: id })).toEqual({ error: 'invalid_client' });
    expect(await send({}, { client_id: id, client_secret: 'wrong' })).toEqual({ error: 'invalid_client' });
    expect(await send({}, { client_id: id, client_secret: secret ?? '' })).toEqual({
      error: 'invalid_grant',
    });
    const basic = (given: string) => ({
      authorization: `Basic ${Buffer.from(`${id}:${given}`).toString('base64')}`,
    });
    expect(await send(basic('wrong'), {})).toEqual({ error: 'invalid_client' });
    expect(await send(basic(secret ?? ''), {})).toEqual({ error: 'invalid_grant' });
    expect(await send(basic(secret ?? ''), { client_id: id })).toEqual({ error: 'invalid_grant' });
    expect(await send(basic(secret ?? ''), { client_id: 'other' })).toEqual({ error: 'invalid_request' });
    // RFC 6749 section 2.3: a client uses one authentication method per request.
    expect(await send(basic(secret ?? ''), { client_secret: secret ?? '' })).toEqual({
      error: 'invalid_request',
    });
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
