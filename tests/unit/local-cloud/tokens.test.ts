import { createHmac } from 'node:crypto';
import { JwtVerifier } from 'aws-jwt-verify';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LocalCloud, startLocalCloud } from '../../../local-cloud/start.ts';
import type { ClientKind } from '../../../local-cloud/user-pool/user-pool.ts';
import { createHostedLoginVisitor } from '../../support/sign-in/hosted-login.ts';
import {
  CALLBACK_URL,
  createOAuthClient,
  type OAuthClient,
  SITE_ORIGIN,
} from '../../support/sign-in/oauth-client.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const ann = { email: 'ann@example.com', password: 'correct horse' };

let now = Date.now();
let cloud: LocalCloud;

beforeAll(async () => {
  cloud = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], clock: () => now });
});
afterAll(() => cloud.close());
beforeEach(() => {
  now = Date.now();
  cloud.reset();
  cloud.faults.set({});
});

async function signUp(kind: ClientKind = 'rotating') {
  const client = createOAuthClient(cloud, kind);
  const callback = await createHostedLoginVisitor(cloud).signUp(client.authorizeUrl(), ann);
  const { status, body } = await client.redeem(callback);
  expect(status).toBe(200);
  const { id_token: idToken = '', access_token: accessToken = '', refresh_token: refreshToken = '' } = body;
  return { client, callback, idToken, accessToken, refreshToken };
}

async function userPoolApi(operation: string, input: unknown) {
  const response = await fetch(`${cloud.origin}/cognito-idp/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `AWSCognitoIdentityProviderService.${operation}`,
    },
    body: JSON.stringify(input),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const renew = (client: OAuthClient, refreshToken: string) =>
  userPoolApi('GetTokensFromRefreshToken', {
    ClientId: client.id,
    RefreshToken: refreshToken,
    ...(client.secret === null ? {} : { ClientSecret: client.secret }),
  });

const userInfo = (accessToken: string) =>
  fetch(`${cloud.origin}/oauth2/userInfo`, { headers: { authorization: `Bearer ${accessToken}` } });

describe('tokens', () => {
  test('pass AWS’s own verifier with the keys that are published', async () => {
    const { client, idToken, accessToken } = await signUp();
    const issuer = cloud.environment().COGNITO_ISSUER ?? '';
    const discovery = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
    expect(discovery.issuer).toBe(issuer);
    const jwks = await (await fetch(discovery.jwks_uri)).json();
    const verifier = JwtVerifier.create([{ issuer, audience: null, jwksUri: discovery.jwks_uri }]);
    verifier.cacheJwks(jwks, issuer);
    expect(verifier.verifySync(idToken)).toMatchObject({ aud: client.id, token_use: 'id', email: ann.email });
    expect(verifier.verifySync(accessToken)).toMatchObject({ client_id: client.id, token_use: 'access' });
    const [header, payload, signature = ''] = idToken.split('.');
    const forged = `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    expect(() => verifier.verifySync(forged)).toThrow('Invalid signature');
  });

  test('have the sizes of real ones, which do not fit one cookie', async () => {
    const { idToken, accessToken, refreshToken } = await signUp();
    expect(accessToken.length).toBeGreaterThan(1_000);
    expect(accessToken.length).toBeLessThan(1_250);
    expect(idToken.length).toBeGreaterThan(1_650);
    expect(idToken.length).toBeLessThan(1_950);
    expect(refreshToken.length).toBeGreaterThan(1_700);
    expect(refreshToken).toMatch(/^eyJjd[\w-]+(\.[\w-]+){4}$/);
  });

  test('carry Cognito’s headers and claims', async () => {
    const { client, idToken, accessToken } = await signUp();
    expect(decodeProtectedHeader(idToken)).toEqual({ kid: expect.any(String), alg: 'RS256' });
    expect(decodeProtectedHeader(accessToken).kid).not.toBe(decodeProtectedHeader(idToken).kid);
    const id = decodeJwt(idToken);
    const access = decodeJwt(accessToken);
    expect(id).toMatchObject({
      'cognito:username': id.sub,
      aud: client.id,
      email_verified: true,
      nonce: 'a-nonce-of-32-octets-in-base64url-as-sites-send',
      origin_jti: access.origin_jti,
      exp: Math.floor(now / 1000) + 3600,
    });
    expect(access).toMatchObject({ sub: id.sub, username: id.sub, scope: 'openid email profile' });
    expect(access).not.toHaveProperty('aud');
  });

  test('of a sign-in without the scope openid are an access and a refresh token alone', async () => {
    const client = createOAuthClient(cloud);
    const callback = await createHostedLoginVisitor(cloud).signUp(
      client.authorizeUrl({ scope: 'email' }),
      ann,
    );
    const { body } = await client.redeem(callback);
    expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'token_type']);
    expect((await userInfo(body.access_token ?? '')).status).toBe(403);
  });

  test('of a length of life that was set expire by it', async () => {
    cloud.faults.set({ tokenSeconds: 6 });
    const { accessToken } = await signUp();
    now += 5 * SECOND;
    expect((await userInfo(accessToken)).status).toBe(200);
    now += 2 * SECOND;
    const expired = await userInfo(accessToken);
    expect(expired.status).toBe(401);
    expect(expired.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });
});

describe('an authorization code', () => {
  test('is good once, and coming again takes back what it brought', async () => {
    const { client, callback, accessToken, refreshToken } = await signUp();
    expect(await client.redeem(callback)).toEqual({ status: 400, body: { error: 'invalid_grant' } });
    expect(await client.refresh(refreshToken)).toEqual({ status: 400, body: { error: 'invalid_grant' } });
    expect((await userInfo(accessToken)).status).toBe(401);
  });

  test('is good for five minutes', async () => {
    const client = createOAuthClient(cloud);
    const callback = await createHostedLoginVisitor(cloud).signUp(client.authorizeUrl(), ann);
    now += 5 * MINUTE;
    expect((await client.redeem(callback)).body).toEqual({ error: 'invalid_grant' });
  });

  test('needs the verifier that it was asked for with', async () => {
    const client = createOAuthClient(cloud);
    const callback = await createHostedLoginVisitor(cloud).signUp(client.authorizeUrl(), ann);
    expect((await createOAuthClient(cloud).redeem(callback)).body).toEqual({ error: 'invalid_grant' });
    expect((await client.redeem(callback)).body).toEqual({ error: 'invalid_grant' });
  });

  test('is good for its own client and its own address alone', async () => {
    const client = createOAuthClient(cloud);
    const visitor = createHostedLoginVisitor(cloud);
    const callback = await visitor.signUp(client.authorizeUrl(), ann);
    expect((await createOAuthClient(cloud, 'plain').redeem(callback)).body).toEqual({
      error: 'invalid_grant',
    });
    const form = { grant_type: 'authorization_code', code: callback.searchParams.get('code') ?? '' };
    const elsewhere = await client.token({
      ...form,
      redirect_uri: `${CALLBACK_URL}/`,
      code_verifier: 'v'.repeat(43),
    });
    expect(elsewhere.body).toEqual({ error: 'invalid_grant' });
  });
});

describe('the token endpoint', () => {
  test.each([
    [{}, 'invalid_request'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'authorization_code' }, 'invalid_request'],
    [{ grant_type: 'refresh_token', refresh_token: 'nonsense' }, 'invalid_grant'],
  ])('answers %j with %s', async (form: Record<string, string>, error) => {
    expect(await createOAuthClient(cloud).token(form)).toEqual({ status: 400, body: { error } });
  });

  test('refuses a client that does not prove its secret', async () => {
    const { id, secret } = createOAuthClient(cloud);
    const send = async (headers: Record<string, string>, form: Record<string, string>) =>
      (
        await fetch(`${cloud.origin}/oauth2/token`, {
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
    const basic = { authorization: `Basic ${Buffer.from(`${id}:wrong`).toString('base64')}` };
    expect(await send(basic, {})).toEqual({ error: 'invalid_client' });
  });

  test('serves a public client by its id', async () => {
    const { client, refreshToken } = await signUp('public');
    expect((await client.refresh(refreshToken)).status).toBe(200);
  });
});

describe('a rotating client', () => {
  test('gets a new refresh token each time, and the sign-in’s own moment stays', async () => {
    const { client, idToken, refreshToken } = await signUp();
    now += 10 * MINUTE;
    const { body } = await client.refresh(refreshToken);
    expect(body.refresh_token).not.toBe(refreshToken);
    const [first, second] = [decodeJwt(idToken), decodeJwt(body.id_token ?? '')];
    expect(second).toMatchObject({ auth_time: first.auth_time, origin_jti: first.origin_jti });
    expect(second.iat).toBe(Number(first.iat) + 600);
    expect(second).not.toHaveProperty('nonce');
  });

  test('may use the replaced token again inside the grace', async () => {
    const { client, refreshToken } = await signUp();
    await client.refresh(refreshToken);
    now += 59 * SECOND;
    const again = await client.refresh(refreshToken);
    expect(again.status).toBe(200);
    expect((await client.refresh(again.body.refresh_token ?? '')).status).toBe(200);
  });

  test('loses the whole sign-in when the replaced token comes after the grace', async () => {
    const { client, refreshToken } = await signUp();
    const { body } = await client.refresh(refreshToken);
    now += 60 * SECOND;
    expect((await client.refresh(refreshToken)).body).toEqual({ error: 'invalid_grant' });
    expect((await client.refresh(body.refresh_token ?? '')).body).toEqual({ error: 'invalid_grant' });
    expect((await userInfo(body.access_token ?? '')).status).toBe(401);
  });

  test('has no grace when it is set to none', async () => {
    cloud.faults.set({ rotationGraceSeconds: 0 });
    const { client, refreshToken } = await signUp();
    await client.refresh(refreshToken);
    const reused = await renew(client, refreshToken);
    expect(reused.status).toBe(400);
    expect(reused.headers.get('x-amzn-errortype')).toBe('RefreshTokenReuseException:');
    expect(reused.body.__type).toBe('RefreshTokenReuseException');
  });

  test('keeps the first token’s end: thirty days from the sign-in, however often it was renewed', async () => {
    const { client, refreshToken } = await signUp();
    now += 29 * DAY;
    const { body } = await client.refresh(refreshToken);
    now += DAY;
    expect((await renew(client, body.refresh_token ?? '')).body).toEqual({
      __type: 'NotAuthorizedException',
      message: 'Refresh Token has expired',
    });
  });

  test('is refused InitiateAuth, and renews with GetTokensFromRefreshToken', async () => {
    const { client, refreshToken } = await signUp();
    const refused = await userPoolApi('InitiateAuth', {
      AuthFlow: 'REFRESH_TOKEN_AUTH',
      ClientId: client.id,
      AuthParameters: { REFRESH_TOKEN: refreshToken },
    });
    expect(refused.body.__type).toBe('NotAuthorizedException');
    const { status, body } = await renew(client, refreshToken);
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

describe('a client that does not rotate', () => {
  const secretHash = (client: OAuthClient, username: string) =>
    createHmac('sha256', client.secret ?? '')
      .update(username + client.id)
      .digest('base64');

  test('keeps its refresh token at the token endpoint', async () => {
    const { client, refreshToken } = await signUp('plain');
    const { body } = await client.refresh(refreshToken);
    expect(body).not.toHaveProperty('refresh_token');
    now += DAY;
    expect((await client.refresh(refreshToken)).status).toBe(200);
  });

  test('renews with InitiateAuth and the secret hash over the username', async () => {
    const { client, refreshToken, idToken } = await signUp('plain');
    const initiate = (hash: string) =>
      userPoolApi('InitiateAuth', {
        AuthFlow: 'REFRESH_TOKEN_AUTH',
        ClientId: client.id,
        AuthParameters: { REFRESH_TOKEN: refreshToken, SECRET_HASH: hash },
      });
    const { status, body } = await initiate(secretHash(client, decodeJwt(idToken).sub ?? ''));
    expect(status).toBe(200);
    expect(body.AuthenticationResult).not.toHaveProperty('RefreshToken');
    expect((await initiate(secretHash(client, ann.email))).body).toEqual({
      __type: 'NotAuthorizedException',
      message: 'Invalid Refresh Token.',
    });
  });

  test('renews with GetTokensFromRefreshToken and its secret', async () => {
    const { client, refreshToken } = await signUp('plain');
    const { body } = await renew(client, refreshToken);
    expect(body.AuthenticationResult).not.toHaveProperty('RefreshToken');
    const wrong = await renew({ ...client, secret: 'wrong' }, refreshToken);
    expect(wrong.body.message).toBe('Invalid Refresh Token.');
  });
});

describe('the user pool’s API', () => {
  test('knows no operation but these two', async () => {
    const { status, body } = await userPoolApi('AdminDeleteUser', {});
    expect([status, body]).toEqual([400, { __type: 'UnknownOperationException' }]);
  });

  test('names what is wrong with its input', async () => {
    const missing = await userPoolApi('GetTokensFromRefreshToken', { ClientId: createOAuthClient(cloud).id });
    expect([missing.status, missing.body.__type]).toEqual([400, 'InvalidParameterException']);
    const unknown = await userPoolApi('GetTokensFromRefreshToken', { ClientId: 'nobody', RefreshToken: 'x' });
    expect(unknown.body.__type).toBe('ResourceNotFoundException');
  });
});

describe('revocation', () => {
  test('ends the refresh token and the access tokens of its sign-in, and no other sign-in', async () => {
    const { client, accessToken, refreshToken } = await signUp();
    const other = await client.redeem(
      await createHostedLoginVisitor(cloud).signIn(client.authorizeUrl(), ann),
    );
    expect(await client.revoke(refreshToken)).toBe(200);
    expect((await client.refresh(refreshToken)).body).toEqual({ error: 'invalid_grant' });
    expect((await renew(client, refreshToken)).body.message).toBe('Refresh Token has been revoked');
    expect((await userInfo(accessToken)).status).toBe(401);
    expect((await userInfo(other.body.access_token ?? '')).status).toBe(200);
  });

  test('answers an unknown token with 200, an access token and a wrong client with an error', async () => {
    const { client, accessToken } = await signUp();
    expect(await client.revoke('nonsense')).toBe(200);
    expect(await client.revoke(accessToken)).toBe(400);
    const anonymous = await fetch(`${cloud.origin}/oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: 'x', client_id: client.id }),
    });
    expect([anonymous.status, await anonymous.json()]).toEqual([401, { error: 'invalid_client' }]);
  });
});
