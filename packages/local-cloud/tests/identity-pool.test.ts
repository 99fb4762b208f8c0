import { randomUUID } from 'node:crypto';
import {
  CognitoIdentityClient,
  GetCredentialsForIdentityCommand,
  GetIdCommand,
} from '@aws-sdk/client-cognito-identity';
import { describe, expect, test } from 'vitest';
import { startLocalCloud } from '../../../tests/support/local-cloud.ts';
import { REGION } from '../src/user-pool/user-pool.ts';
import { startLocalCloudForTests } from './support/local-cloud-per-file.ts';
import { signUpAtClient } from './support/signed-up-client.ts';

type Logins = Record<string, string>;

const HOUR = 60 * 60_000;
const local = startLocalCloudForTests();

/** Returns the client of the AWS SDK, without credentials as in the site. */
const client = (cloud = local.cloud) =>
  new CognitoIdentityClient({
    region: REGION,
    endpoint: `${cloud.origin}/cognito-identity/`,
    maxAttempts: 1,
  });

async function getId(logins?: Logins, cloud = local.cloud): Promise<string> {
  const IdentityPoolId = cloud.environment().COGNITO_IDENTITY_POOL_ID;
  const command = new GetIdCommand({ IdentityPoolId, ...(logins && { Logins: logins }) });
  return (await client(cloud).send(command)).IdentityId ?? '';
}

const getCredentials = (IdentityId: string, logins?: Logins) =>
  client().send(new GetCredentialsForIdentityCommand({ IdentityId, ...(logins && { Logins: logins }) }));

const providerName = () =>
  `cognito-idp.${REGION}.amazonaws.com/${local.cloud.environment().COGNITO_USER_POOL_ID}`;
const loginWith = (token: string): Logins => ({ [providerName()]: token });
/** Signs up as a new user, who has no identity yet. */
const signUp = () => signUpAtClient(local.cloud, 'rotating', {}, `${randomUUID()}@example.com`);
const newLogin = async () => loginWith((await signUp()).idToken);
const notAuthorized = (message: unknown) => ({ name: 'NotAuthorizedException', message });

describe('GetId', () => {
  test('returns a new identity for every guest', async () => {
    const [first, second] = [await getId(), await getId()];
    expect(first).toMatch(/^us-east-1:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(second).not.toBe(first);
  });

  test('returns the same identity for a user, under both names of the user pool', async () => {
    const { idToken } = await signUp();
    const issuerName = local.cloud.environment().COGNITO_ISSUER?.replace('http://', '') ?? '';
    const first = await getId(loginWith(idToken));
    expect(await getId({ [issuerName]: idToken })).toBe(first);
    expect(await getId(await newLogin())).not.toBe(first);
  });

  test.each([
    ['us-east-1:00000000-0000-4000-8000-000000000000', 'ResourceNotFoundException'],
    ['pool', 'InvalidParameterException'],
  ])('rejects the identity pool %s', async (IdentityPoolId, name) => {
    await expect(client().send(new GetIdCommand({ IdentityPoolId }))).rejects.toMatchObject({ name });
  });

  test('rejects guests when they are not allowed', async () => {
    const closed = await startLocalCloud({ allowGuests: false });
    await expect(getId(undefined, closed)).rejects.toMatchObject(
      notAuthorized('Unauthenticated access is not supported for this identity pool.'),
    );
    await closed.close();
  });
});

describe('a login', () => {
  test.each<[what: string, message: RegExp, loginOf: (idToken: string, accessToken: string) => Logins]>([
    ['of another provider', /^Token is not from a supported/, (token) => ({ 'accounts.google.com': token })],
    [
      'with a second provider',
      /^Token is not from a supported provider of this identity pool\.$/,
      (token) => ({ ...loginWith(token), 'accounts.google.com': 'x.y.z' }),
    ],
    ['with a malformed token', /^Invalid login token\. Not a valid OpenId/, () => loginWith('nonsense')],
    ['with an access token', /^Invalid login token\. /, (_, accessToken) => loginWith(accessToken)],
    [
      'with a modified signature',
      /^Invalid login token\. Couldn't verify signed token\.$/,
      (token) => loginWith(token.replace(/.{8}$/, 'AAAAAAAA')),
    ],
    [
      'with an expired token',
      /^Invalid login token\. Token expired: \d+ >= \d+$/,
      (token) => {
        local.now += HOUR;
        return loginWith(token);
      },
    ],
  ])('%s is not authorized', async (_, message, loginOf) => {
    const identity = await getId();
    const { idToken, accessToken } = await signUp();
    const logins = loginOf(idToken, accessToken);
    const error = notAuthorized(expect.stringMatching(message));
    await expect(getId(logins)).rejects.toMatchObject(error);
    await expect(getCredentials(identity, logins)).rejects.toMatchObject(error);
  });
});

describe('GetCredentialsForIdentity', () => {
  test('returns new temporary credentials in the format of AWS with every call', async () => {
    const login = await newLogin();
    const identityId = await getId(login);
    const [first, second] = [
      await getCredentials(identityId, login),
      await getCredentials(identityId, login),
    ];
    expect(first).toMatchObject({
      IdentityId: identityId,
      Credentials: {
        AccessKeyId: expect.stringMatching(/^ASIA[A-Z2-7]{16}$/),
        SecretKey: expect.stringMatching(/^[A-Za-z0-9+/]{40}$/),
        SessionToken: expect.stringMatching(/^IQoJb3JpZ2luX2Vj[A-Za-z0-9+/]{1200}$/),
        Expiration: new Date(Math.floor(local.now / 1000) * 1000 + HOUR),
      },
    });
    expect(second.Credentials?.AccessKeyId).not.toBe(first.Credentials?.AccessKeyId);
  });

  test("makes a guest's identity the user's, or an alias of the identity that the user has already", async () => {
    const login = await newLogin();
    const [first, second] = [await getId(), await getId()];
    for (const guest of [first, second, first]) {
      expect((await getCredentials(guest, login)).IdentityId).toBe(first);
    }
    expect(await getId(login)).toBe(first);
    await expect(getCredentials(second)).rejects.toMatchObject(
      notAuthorized(`Access to Identity '${second}' is forbidden.`),
    );
  });

  test("rejects another user's identity, and an unknown one", async () => {
    const identity = await getId(await newLogin());
    const login = await newLogin();
    await expect(getCredentials(identity, login)).rejects.toMatchObject(
      notAuthorized(expect.stringMatching(/^Logins don't match\./)),
    );
    await expect(getCredentials(`${REGION}:0`, login)).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});

test.each(['ListIdentities', '__proto__'])('the operation %s is unknown', async (operation) => {
  const response = await fetch(`${local.cloud.origin}/cognito-identity/`, {
    method: 'POST',
    headers: { 'x-amz-target': `AWSCognitoIdentityService.${operation}` },
    body: '{}',
  });
  expect([response.status, await response.json()]).toEqual([400, { __type: 'UnknownOperationException' }]);
});
