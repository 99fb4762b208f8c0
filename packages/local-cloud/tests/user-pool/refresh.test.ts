import { createHmac } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import type { OAuthClient } from '../../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';
import {
  ann,
  callUserPoolApi,
  fetchUserInfo,
  getTokensFromRefreshToken,
  signUpAtClient,
} from '../support/signed-up-client.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const local = startLocalCloudForTests();

describe('a client with refresh token rotation', () => {
  test('receives a new refresh token with every refresh, while auth_time remains', async () => {
    const { client, idToken, refreshToken } = await signUpAtClient(local.cloud);
    local.now += 10 * MINUTE;
    const { body } = await client.refresh(refreshToken);
    expect(body.refresh_token).not.toBe(refreshToken);
    const [first, second] = [decodeJwt(idToken), decodeJwt(body.id_token ?? '')];
    expect(second).toMatchObject({ auth_time: first.auth_time, origin_jti: first.origin_jti });
    expect(second.iat).toBe(Number(first.iat) + 600);
    expect(second).not.toHaveProperty('nonce');
  });

  test('may use the replaced token within the grace period, which use does not extend', async () => {
    const { client, refreshToken } = await signUpAtClient(local.cloud);
    const { body } = await client.refresh(refreshToken);
    local.now += 59 * SECOND;
    const again = await client.refresh(refreshToken);
    expect(again.status).toBe(200);
    local.now += SECOND;
    expect((await client.refresh(refreshToken)).body).toEqual({ error: 'invalid_grant' });
    for (const token of [body.refresh_token, again.body.refresh_token])
      expect((await client.refresh(token ?? '')).status).toBe(200);
    expect((await fetchUserInfo(local.cloud, body.access_token ?? '')).status).toBe(200);
  });

  test('may not use the replaced token again when the grace period is zero', async () => {
    local.cloud.faults.set({ rotationGraceSeconds: 0 });
    const { client, refreshToken } = await signUpAtClient(local.cloud);
    await client.refresh(refreshToken);
    const reused = await getTokensFromRefreshToken(local.cloud, client, refreshToken);
    expect(reused.status).toBe(400);
    expect(reused.headers.get('x-amzn-errortype')).toBe('RefreshTokenReuseException:');
    expect(reused.body.__type).toBe('RefreshTokenReuseException');
  });

  test('has refresh tokens that expire 30 days after the sign-in, regardless of refreshes', async () => {
    const { client, refreshToken } = await signUpAtClient(local.cloud);
    local.now += 29 * DAY;
    const { body } = await client.refresh(refreshToken);
    local.now += DAY;
    expect((await getTokensFromRefreshToken(local.cloud, client, body.refresh_token ?? '')).body).toEqual({
      __type: 'NotAuthorizedException',
      message: 'Refresh Token has expired',
    });
  });

  test('must refresh with GetTokensFromRefreshToken instead of InitiateAuth', async () => {
    const { client, refreshToken } = await signUpAtClient(local.cloud);
    const rejected = await callUserPoolApi(local.cloud, 'InitiateAuth', {
      AuthFlow: 'REFRESH_TOKEN_AUTH',
      ClientId: client.id,
      AuthParameters: { REFRESH_TOKEN: refreshToken },
    });
    expect(rejected.body.__type).toBe('NotAuthorizedException');
    const { status, body } = await getTokensFromRefreshToken(local.cloud, client, refreshToken);
    expect(status).toBe(200);
    expect(body.AuthenticationResult).toEqual({
      AccessToken: expect.any(String),
      IdToken: expect.any(String),
      RefreshToken: expect.stringMatching(/^eyJjd/),
      ExpiresIn: 3600,
      TokenType: 'Bearer',
    });
  });
});

describe('a client without refresh token rotation', () => {
  const secretHash = (client: OAuthClient, username: string) =>
    createHmac('sha256', client.secret ?? '')
      .update(username + client.id)
      .digest('base64');

  test('keeps its refresh token after a refresh at the token endpoint', async () => {
    const { client, refreshToken } = await signUpAtClient(local.cloud, 'plain');
    const { body } = await client.refresh(refreshToken);
    expect(body).not.toHaveProperty('refresh_token');
    local.now += DAY;
    expect((await client.refresh(refreshToken)).status).toBe(200);
  });

  test('refreshes with InitiateAuth and the secret hash of the username', async () => {
    const { client, refreshToken, idToken } = await signUpAtClient(local.cloud, 'plain');
    const initiate = (hash: string) =>
      callUserPoolApi(local.cloud, 'InitiateAuth', {
        AuthFlow: 'REFRESH_TOKEN_AUTH',
        ClientId: client.id,
        AuthParameters: { REFRESH_TOKEN: refreshToken, SECRET_HASH: hash },
      });
    const { status, body } = await initiate(secretHash(client, decodeJwt(idToken).sub ?? ''));
    expect(status).toBe(200);
    expect(body.AuthenticationResult).not.toHaveProperty('RefreshToken');
    expect((await initiate(secretHash(client, ann.email))).body).toEqual({
      __type: 'NotAuthorizedException',
      message: `SecretHash does not match for the client: ${client.id}`,
    });
  });

  test('refreshes with GetTokensFromRefreshToken and its secret', async () => {
    const { client, refreshToken } = await signUpAtClient(local.cloud, 'plain');
    const { body } = await getTokensFromRefreshToken(local.cloud, client, refreshToken);
    expect(body.AuthenticationResult).not.toHaveProperty('RefreshToken');
    const wrong = await getTokensFromRefreshToken(local.cloud, { ...client, secret: 'wrong' }, refreshToken);
    expect(wrong.body.message).toBe('Invalid Refresh Token.');
  });
});
