import {
  CognitoIdentityProviderClient,
  GetUserCommand,
  GlobalSignOutCommand,
  RevokeTokenCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { describe, expect, test } from 'vitest';
import { REGION } from '../../user-pool/user-pool.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';
import { ann, fetchUserInfo, signUpAtClient } from '../support/signed-up-client.ts';

const local = startLocalCloudForTests();

/** Returns the client of the AWS SDK. These operations need no AWS credentials. */
const sdk = () =>
  new CognitoIdentityProviderClient({
    region: REGION,
    endpoint: `${local.cloud.origin}/cognito-idp/`,
    credentials: { accessKeyId: 'unused', secretAccessKey: 'unused' },
    maxAttempts: 1,
  });

const signUpWithScope = (scope: string) => signUpAtClient(local.cloud, 'rotating', { scope });
const signUpWithAdminScope = () => signUpWithScope('openid email aws.cognito.signin.user.admin');

describe('GetUser', () => {
  test('returns the attributes of the user', async () => {
    const { accessToken } = await signUpWithAdminScope();
    const { Username, UserAttributes } = await sdk().send(new GetUserCommand({ AccessToken: accessToken }));
    expect(Username).toMatch(/^[\da-f-]{36}$/);
    expect(UserAttributes).toEqual([
      { Name: 'sub', Value: Username },
      { Name: 'email', Value: ann.email },
      { Name: 'email_verified', Value: 'true' },
    ]);
  });

  test.each([
    ['a token without the scope', 'openid email', 0, 'Access Token does not have required scopes'],
    ['an expired token', 'aws.cognito.signin.user.admin openid', 3600, 'Access Token has expired'],
  ])('rejects %s', async (_what, scope, seconds, message) => {
    const { accessToken } = await signUpWithScope(scope);
    local.now += seconds * 1000;
    await expect(sdk().send(new GetUserCommand({ AccessToken: accessToken }))).rejects.toMatchObject({
      name: 'NotAuthorizedException',
      message,
    });
  });
});

describe('GlobalSignOut', () => {
  test('revokes all tokens of the user', async () => {
    const { client, accessToken, refreshToken } = await signUpWithAdminScope();
    await sdk().send(new GlobalSignOutCommand({ AccessToken: accessToken }));
    expect((await client.refresh(refreshToken)).body).toEqual({ error: 'invalid_grant' });
    await expect(sdk().send(new GetUserCommand({ AccessToken: accessToken }))).rejects.toMatchObject({
      name: 'NotAuthorizedException',
      message: 'Access Token has been revoked',
    });
  });
});

describe('RevokeToken', () => {
  test('revokes the tokens of the sign-in', async () => {
    const { client, accessToken, refreshToken } = await signUpAtClient(local.cloud);
    const input = { Token: refreshToken, ClientId: client.id, ClientSecret: client.secret ?? '' };
    await sdk().send(new RevokeTokenCommand(input));
    await sdk().send(new RevokeTokenCommand(input));
    expect((await client.refresh(refreshToken)).body).toEqual({ error: 'invalid_grant' });
    expect((await fetchUserInfo(local.cloud, accessToken)).status).toBe(401);
  });

  test.each([
    ['an access token', 'UnsupportedTokenTypeException', { Token: 'a.b.c' }],
    ['a wrong client secret', 'UnauthorizedException', { ClientSecret: 'wrong' }],
    ['an unknown client', 'ResourceNotFoundException', { ClientId: 'unknown' }],
  ])('rejects %s', async (_what, name, changes) => {
    const { client, refreshToken } = await signUpAtClient(local.cloud);
    const input = { Token: refreshToken, ClientId: client.id, ClientSecret: client.secret ?? '', ...changes };
    await expect(sdk().send(new RevokeTokenCommand(input))).rejects.toMatchObject({ name });
    expect((await client.refresh(refreshToken)).status).toBe(200);
  });
});
