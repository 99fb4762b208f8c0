import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetCredentialsForIdentityCommand, GetIdCommand } from '@aws-sdk/client-cognito-identity';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AwsServices, CREDENTIAL_SECONDS, startAwsServices } from '../support/aws-services.ts';

type Logins = Record<string, string>;

let services: AwsServices;
beforeAll(async () => {
  services = await startAwsServices();
});
afterAll(() => services.close());
beforeEach(() => {
  services.time.now = Date.parse('2026-11-21T10:00:00Z');
});

async function getId(logins?: Logins, at: AwsServices = services): Promise<string> {
  const input = { IdentityPoolId: at.identityPool.id, ...(logins ? { Logins: logins } : {}) };
  return (await at.client().send(new GetIdCommand(input))).IdentityId ?? '';
}

function getCredentials(identityId: string, logins?: Logins, at: AwsServices = services) {
  const input = { IdentityId: identityId, ...(logins ? { Logins: logins } : {}) };
  return at.client().send(new GetCredentialsForIdentityCommand(input));
}

async function loginOf(sub: string, at: AwsServices = services): Promise<Logins> {
  return { [at.userPool.providerName]: await at.tokens.mintIdToken(at.grant(sub), null) };
}

const notAuthorized = (message: unknown) => ({ name: 'NotAuthorizedException', message });

describe('GetId', () => {
  test('returns a new identity for every guest', async () => {
    const [first, second] = [await getId(), await getId()];
    expect(first).toMatch(/^us-east-1:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(second).not.toBe(first);
  });

  test('returns the same identity for a user with every token', async () => {
    const sub = randomUUID();
    const first = await getId(await loginOf(sub));
    services.time.now += 60_000;
    expect(await getId(await loginOf(sub))).toBe(first);
    expect(await getId(await loginOf(randomUUID()))).not.toBe(first);
  });

  test('returns the same identity under both names of the user pool', async () => {
    const sub = randomUUID();
    const token = await services.tokens.mintIdToken(services.grant(sub), null);
    expect(await getId({ [services.userPool.issuerName]: token })).toBe(await getId(await loginOf(sub)));
  });

  test.each([
    [
      'us-east-1:00000000-0000-4000-8000-000000000000',
      'ResourceNotFoundException',
      "IdentityPool 'us-east-1:00000000-0000-4000-8000-000000000000' not found.",
    ],
    ['pool', 'InvalidParameterException', expect.any(String)],
  ])('rejects the identity pool %s', async (IdentityPoolId, name, message) => {
    const call = services.client().send(new GetIdCommand({ IdentityPoolId }));
    await expect(call).rejects.toMatchObject({ name, message });
  });

  test('rejects guests and accepts users when guests are not allowed', async () => {
    const closed = await startAwsServices({ allowGuests: false });
    try {
      await expect(getId(undefined, closed)).rejects.toMatchObject(
        notAuthorized('Unauthenticated access is not supported for this identity pool.'),
      );
      const login = await loginOf(randomUUID(), closed);
      const { Credentials } = await getCredentials(await getId(login, closed), login, closed);
      expect(Credentials?.AccessKeyId).toMatch(/^ASIA/);
    } finally {
      await closed.close();
    }
  });
});

describe('a login', () => {
  const idToken = (changes = {}) => services.tokens.mintIdToken({ ...services.grant(), ...changes }, null);
  const provided = (token: string): Logins => ({ [services.userPool.providerName]: token });

  test.each<[what: string, message: RegExp, login: () => Promise<Logins>]>([
    [
      'of another provider',
      /^Token is not from a supported provider of this identity pool\.$/,
      async () => ({ 'accounts.google.com': await idToken() }),
    ],
    [
      'with a second provider',
      /^Token is not from a supported provider of this identity pool\.$/,
      async () => ({ ...provided(await idToken()), 'accounts.google.com': 'x.y.z' }),
    ],
    [
      'with a malformed token',
      /^Invalid login token\. Not a valid OpenId Connect/,
      async () => provided('nonsense'),
    ],
    [
      'with an access token',
      /^Invalid login token\. /,
      async () => provided(await services.tokens.mintAccessToken(services.grant())),
    ],
    [
      'with a modified signature',
      /^Invalid login token\. Couldn't verify signed token\.$/,
      async () => provided((await idToken()).replace(/.{8}$/, 'AAAAAAAA')),
    ],
    [
      'for another app client',
      /^Invalid login token\. Incorrect token audience\.$/,
      async () => provided(await idToken({ clientId: 'another-client' })),
    ],
    [
      'with an expired token',
      /^Invalid login token\. Token expired: 1795262400 >= 1795258800$/,
      async () => {
        const token = await idToken();
        services.time.now = Date.parse('2026-11-21T12:00:00Z');
        return provided(token);
      },
    ],
    [
      'with a revoked token',
      /^Token is inactive$/,
      async () => {
        const grant = services.grant();
        services.grants.revoke(grant.originJti);
        return provided(await idToken(grant));
      },
    ],
  ])('%s is not authorized', async (_, message, login) => {
    const identity = await getId();
    const logins = await login();
    const error = notAuthorized(expect.stringMatching(message));
    await expect(getId(logins)).rejects.toMatchObject(error);
    await expect(getCredentials(identity, logins)).rejects.toMatchObject(error);
  });
});

describe('GetCredentialsForIdentity', () => {
  test('returns new temporary credentials in the format of AWS with every call', async () => {
    const sub = randomUUID();
    const login = await loginOf(sub);
    const identityId = await getId(login);
    const keyIds = new Set<string>();
    for (const _call of [1, 2]) {
      const { Credentials, IdentityId } = await getCredentials(identityId, login);
      expect(IdentityId).toBe(identityId);
      expect(Credentials?.AccessKeyId).toMatch(/^ASIA[A-Z2-7]{16}$/);
      expect(Credentials?.SecretKey).toMatch(/^[A-Za-z0-9+/]{40}$/);
      expect(Credentials?.SessionToken).toMatch(/^IQoJb3JpZ2luX2Vj[A-Za-z0-9+/]{1100,1300}$/);
      expect(Credentials?.Expiration).toEqual(new Date(services.time.now + CREDENTIAL_SECONDS * 1000));
      const keyId = Credentials?.AccessKeyId ?? '';
      expect(services.identityPool.accessKeys.find(keyId)).toMatchObject({ identityId, sub });
      keyIds.add(keyId);
    }
    expect(keyIds.size).toBe(2);
  });

  test('returns credentials without a user to a guest', async () => {
    const identityId = await getId();
    const { Credentials } = await getCredentials(identityId);
    const key = services.identityPool.accessKeys.find(Credentials?.AccessKeyId ?? '');
    expect(key).toMatchObject({ identityId, sub: null });
  });

  test("links a guest's identity to the user of a login and then requires the login", async () => {
    const guest = await getId();
    const login = await loginOf(randomUUID());
    expect((await getCredentials(guest, login)).IdentityId).toBe(guest);
    expect(await getId(login)).toBe(guest);
    await expect(getCredentials(guest)).rejects.toMatchObject(
      notAuthorized(`Access to Identity '${guest}' is forbidden.`),
    );
  });

  test("merges a guest's identity into the existing identity of a user", async () => {
    const login = await loginOf(randomUUID());
    const identity = await getId(login);
    const guest = await getId();
    expect((await getCredentials(guest, login)).IdentityId).toBe(identity);
    expect((await getCredentials(guest, login)).IdentityId).toBe(identity);
    expect(await getId(login)).toBe(identity);
    await expect(getCredentials(guest)).rejects.toThrow('is forbidden');
  });

  test("rejects the login of one user for another user's identity", async () => {
    const identity = await getId(await loginOf(randomUUID()));
    const call = getCredentials(identity, await loginOf(randomUUID()));
    await expect(call).rejects.toMatchObject(
      notAuthorized(expect.stringMatching(/^Logins don't match\. Please include at least one valid login/)),
    );
  });

  test('rejects an unknown identity', async () => {
    const identity = `us-east-1:${randomUUID()}`;
    const call = getCredentials(identity, await loginOf(randomUUID()));
    await expect(call).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: `Identity '${identity}' not found.`,
    });
  });
});

test('identities remain after a restart', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'identities-'));
  try {
    const before = await startAwsServices({ directory });
    const sub = randomUUID();
    const [user, guest] = [await getId(await loginOf(sub, before), before), await getId(undefined, before)];
    await before.close();
    const after = await startAwsServices({ directory });
    expect(await getId(await loginOf(sub, after), after)).toBe(user);
    expect((await getCredentials(guest, undefined, after)).IdentityId).toBe(guest);
    await after.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('rejects unknown operations and methods other than POST', async () => {
  const target = (operation: string) => ({ 'x-amz-target': `AWSCognitoIdentityService.${operation}` });
  const requests: RequestInit[] = [
    { method: 'POST', headers: target('ListIdentities'), body: '{}' },
    { method: 'POST', headers: target('__proto__'), body: '{}' },
    { method: 'GET', headers: target('GetId') },
  ];
  for (const request of requests) {
    const response = await fetch(`${services.origin}/cognito-identity/`, request);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ __type: 'UnknownOperationException' });
  }
});
