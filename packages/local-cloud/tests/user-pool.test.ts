import { createHmac } from 'node:crypto';
import {
  ChangePasswordCommand,
  CognitoIdentityProviderClient,
  DeleteUserCommand,
  GetUserCommand,
  GlobalSignOutCommand,
  RevokeTokenCommand,
  UpdateUserAttributesCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { JwtVerifier } from 'aws-jwt-verify';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { startLocalCloud } from '../../../tests/support/local-cloud.ts';
import { createHostedLoginVisitor } from '../../../tests/support/sign-in/hosted-login.ts';
import {
  createOAuthClient,
  type OAuthClient,
  SITE_ORIGIN,
} from '../../../tests/support/sign-in/oauth-client.ts';
import { REGION } from '../src/user-pool/user-pool.ts';
import { startLocalCloudForTests } from './support/local-cloud-per-file.ts';
import { ann, callAws, signUpAtClient, statusWith } from './support/signed-up-client.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const invalidGrant = { error: 'invalid_grant' };

const local = startLocalCloudForTests();

const call = (operation: string, input: unknown) => callAws(local.cloud, 'cognito-idp', operation, input);
const getTokens = (client: OAuthClient, refreshToken: string) =>
  call('GetTokensFromRefreshToken', {
    ClientId: client.id,
    RefreshToken: refreshToken,
    ...(client.secret !== null && { ClientSecret: client.secret }),
  });
const initiateAuth = (client: OAuthClient, refreshToken: string, hash?: string) =>
  call('InitiateAuth', {
    AuthFlow: 'REFRESH_TOKEN_AUTH',
    ClientId: client.id,
    AuthParameters: { REFRESH_TOKEN: refreshToken, ...(hash !== undefined && { SECRET_HASH: hash }) },
  });

describe('tokens', () => {
  test('are accepted by AWS’s own verifier with the published keys', async () => {
    const { client, idToken, accessToken } = await signUpAtClient(local.cloud);
    const issuer = local.cloud.environment().COGNITO_ISSUER ?? '';
    const jwksUri = `${issuer}/.well-known/jwks.json`;
    const verifier = JwtVerifier.create([{ issuer, audience: null, jwksUri }]);
    verifier.cacheJwks(await (await fetch(jwksUri)).json(), issuer);
    expect(verifier.verifySync(idToken)).toMatchObject({ aud: client.id, token_use: 'id', email: ann.email });
    expect(verifier.verifySync(accessToken)).toMatchObject({ client_id: client.id, token_use: 'access' });
  });

  test('have the headers, claims and sizes of Cognito’s tokens', async () => {
    const { client, idToken, accessToken, refreshToken } = await signUpAtClient(local.cloud);
    expect(decodeProtectedHeader(idToken)).toEqual({ kid: expect.any(String), alg: 'RS256' });
    expect(decodeProtectedHeader(accessToken).kid).not.toBe(decodeProtectedHeader(idToken).kid);
    const [id, access] = [decodeJwt(idToken), decodeJwt(accessToken)];
    expect(id).toMatchObject({
      'cognito:username': id.sub,
      aud: client.id,
      email_verified: true,
      nonce: 'a-nonce-of-32-octets-in-base64url-as-sites-send',
      origin_jti: access.origin_jti,
      exp: Math.floor(local.now / 1000) + 3600,
    });
    expect(access).toMatchObject({ sub: id.sub, username: id.sub, scope: 'openid email profile' });
    expect(access).not.toHaveProperty('aud');
    expect(accessToken.length).toBeGreaterThan(1_000);
    expect(idToken.length).toBeGreaterThan(1_650);
    expect(refreshToken.length).toBeGreaterThan(1_700);
    expect(refreshToken).toMatch(/^eyJjd[\w-]+(\.[\w-]+){4}$/);
  });

  test('of one response expire at the same time, also if a second begins between their signatures', async () => {
    const start = Date.now();
    let readings = 0;
    const clock = () => start + SECOND * readings++;
    const cloud = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], clock });
    try {
      const { idToken, accessToken } = await signUpAtClient(cloud);
      const [id, access] = [decodeJwt(idToken), decodeJwt(accessToken)];
      expect([access.iat, access.exp]).toEqual([id.iat, id.exp]);
    } finally {
      await cloud.close();
    }
  });

  test('include no ID token without the scope openid', async () => {
    const client = createOAuthClient(local.cloud);
    const visitor = createHostedLoginVisitor(local.cloud);
    const callback = await visitor.signUp(client.authorizeUrl({ scope: 'email' }), ann);
    const { body } = await client.redeem(callback);
    expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'token_type']);
  });
});

describe('a client with refresh token rotation', () => {
  test('receives a new refresh token with every refresh, while auth_time remains', async () => {
    const { client, idToken, refreshToken } = await signUpAtClient(local.cloud, 'public');
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
    const reused = await getTokens(client, refreshToken);
    expect(reused.status).toBe(400);
    expect(reused.headers.get('x-amzn-errortype')).toBe('RefreshTokenReuseException:');
    expect((await client.refresh(refreshToken)).body).toEqual(invalidGrant);
    for (const token of [body.refresh_token, again.body.refresh_token])
      expect((await client.refresh(token ?? '')).status).toBe(200);
    expect(await statusWith(local.cloud, body.access_token ?? '')).toBe(200);
  });

  test('has refresh tokens that expire 30 days after the sign-in, regardless of refreshes', async () => {
    const { client, refreshToken } = await signUpAtClient(local.cloud);
    local.now += 29 * DAY;
    const { body } = await client.refresh(refreshToken);
    local.now += DAY;
    expect((await getTokens(client, body.refresh_token ?? '')).body).toEqual({
      __type: 'NotAuthorizedException',
      message: 'Refresh Token has expired',
    });
  });

  test('must refresh with GetTokensFromRefreshToken instead of InitiateAuth', async () => {
    const { client, refreshToken } = await signUpAtClient(local.cloud);
    expect((await initiateAuth(client, refreshToken)).body.__type).toBe('NotAuthorizedException');
    expect((await getTokens(client, refreshToken)).body.AuthenticationResult).toEqual({
      AccessToken: expect.any(String),
      IdToken: expect.any(String),
      RefreshToken: expect.stringMatching(/^eyJjd/),
      ExpiresIn: 3600,
      TokenType: 'Bearer',
    });
  });
});

describe('a client without refresh token rotation', () => {
  const secretHash = ({ id, secret }: OAuthClient, username = '') =>
    createHmac('sha256', secret ?? '')
      .update(username + id)
      .digest('base64');

  test('keeps its refresh token at the token endpoint and with both operations', async () => {
    const { client, refreshToken, idToken } = await signUpAtClient(local.cloud, 'plain');
    expect((await client.refresh(refreshToken)).body).not.toHaveProperty('refresh_token');
    local.now += DAY;
    const hash = secretHash(client, decodeJwt(idToken).sub);
    for (const refreshed of [
      await initiateAuth(client, refreshToken, hash),
      await getTokens(client, refreshToken),
    ]) {
      expect(refreshed.status).toBe(200);
      expect(refreshed.body.AuthenticationResult).not.toHaveProperty('RefreshToken');
    }
  });

  test('needs its secret, or with InitiateAuth the hash for the username', async () => {
    const { client, refreshToken } = await signUpAtClient(local.cloud, 'plain');
    const messages = [
      await initiateAuth(client, refreshToken, secretHash(client, ann.email)),
      await initiateAuth(client, refreshToken),
      await getTokens({ ...client, secret: 'wrong' }, refreshToken),
    ].map(({ body }) => body.message);
    expect(messages).toEqual([
      `SecretHash does not match for the client: ${client.id}`,
      `Client ${client.id} is configured with secret but SECRET_HASH was not received`,
      'Invalid Refresh Token.',
    ]);
  });
});

describe('an access token with the scope aws.cognito.signin.user.admin', () => {
  const client = () =>
    new CognitoIdentityProviderClient({
      region: REGION,
      endpoint: `${local.cloud.origin}/cognito-idp/`,
      credentials: { accessKeyId: 'unused', secretAccessKey: 'unused' },
      maxAttempts: 1,
    });
  const getUser = (AccessToken: string) => client().send(new GetUserCommand({ AccessToken }));
  const signUp = (scope = 'openid aws.cognito.signin.user.admin') =>
    signUpAtClient(local.cloud, 'rotating', { scope });

  test('reads the attributes of the user', async () => {
    const { Username, UserAttributes } = await getUser((await signUp()).accessToken);
    expect(UserAttributes).toEqual([
      { Name: 'sub', Value: Username },
      { Name: 'email', Value: ann.email },
      { Name: 'email_verified', Value: 'true' },
    ]);
  });

  test('changes the name, which new tokens have, and deletes it with a blank value', async () => {
    const { client: app, accessToken: AccessToken, refreshToken } = await signUp();
    const rename = (Value: string) =>
      client().send(
        new UpdateUserAttributesCommand({ AccessToken, UserAttributes: [{ Name: 'name', Value }] }),
      );
    await rename('Ann Example');
    expect((await getUser(AccessToken)).UserAttributes).toContainEqual({
      Name: 'name',
      Value: 'Ann Example',
    });
    const { body } = await app.refresh(refreshToken);
    expect(decodeJwt(body.id_token ?? '')).toMatchObject({ name: 'Ann Example' });
    await rename('');
    expect((await getUser(AccessToken)).UserAttributes).toHaveLength(3);
  });

  test('writes only the attributes that the template allows', async () => {
    const { accessToken: AccessToken } = await signUp();
    const UserAttributes = [{ Name: 'custom:plan', Value: 'all' }];
    const update = client().send(new UpdateUserAttributesCommand({ AccessToken, UserAttributes }));
    await expect(update).rejects.toMatchObject({ name: 'NotAuthorizedException' });
  });

  test('changes the password by the rules of the user pool, and tokens stay valid', async () => {
    const { accessToken: AccessToken } = await signUp();
    const change = (PreviousPassword: string, ProposedPassword: string) =>
      client().send(new ChangePasswordCommand({ AccessToken, PreviousPassword, ProposedPassword }));
    const next = 'another horse battery';
    await expect(change('wrong', next)).rejects.toMatchObject({
      name: 'NotAuthorizedException',
      message: 'Incorrect username or password.',
    });
    await expect(change(ann.password, 'short')).rejects.toMatchObject({ name: 'InvalidPasswordException' });
    await expect(change(ann.password, ' outer space ')).rejects.toMatchObject({
      name: 'InvalidParameterException',
    });
    await change(ann.password, next);
    await change(next, ann.password);
    await getUser(AccessToken);
  });

  test('deletes the user, whose tokens and address are then free', async () => {
    const { client: app, accessToken: AccessToken, refreshToken } = await signUp();
    await client().send(new DeleteUserCommand({ AccessToken }));
    await expect(getUser(AccessToken)).rejects.toMatchObject({ name: 'UserNotFoundException' });
    expect((await app.refresh(refreshToken)).body).toEqual(invalidGrant);
    await signUp();
  });

  test('revokes all tokens of the user', async () => {
    const { client: app, accessToken, refreshToken } = await signUp();
    await client().send(new GlobalSignOutCommand({ AccessToken: accessToken }));
    expect((await app.refresh(refreshToken)).body).toEqual(invalidGrant);
    await expect(getUser(accessToken)).rejects.toMatchObject({
      name: 'NotAuthorizedException',
      message: 'Access Token has been revoked',
    });
  });

  test.each([
    ['the scope', 'openid email', 0, 'Access Token does not have required scopes'],
    ['its lifetime', undefined, 3600, 'Access Token has expired'],
  ])('is rejected without %s', async (_what, scope, seconds, message) => {
    const { accessToken } = await signUp(scope);
    local.now += seconds * SECOND;
    await expect(getUser(accessToken)).rejects.toMatchObject({ name: 'NotAuthorizedException', message });
  });

  test('is not needed by RevokeToken, which revokes the tokens of the sign-in', async () => {
    const { client: app, accessToken, refreshToken } = await signUpAtClient(local.cloud);
    const revoke = (ClientSecret: string) =>
      client().send(new RevokeTokenCommand({ Token: refreshToken, ClientId: app.id, ClientSecret }));
    await expect(revoke('wrong')).rejects.toMatchObject({ name: 'UnauthorizedException' });
    await revoke(app.secret ?? '');
    expect(await statusWith(local.cloud, accessToken)).toBe(401);
  });
});
