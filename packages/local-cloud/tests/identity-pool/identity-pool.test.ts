import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CognitoIdentityServiceException,
  GetCredentialsForIdentityCommand,
  GetIdCommand,
  NotAuthorizedException,
  ResourceNotFoundException,
} from '@aws-sdk/client-cognito-identity';
import { decodeJwt, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AwsServices,
  CREDENTIAL_SECONDS,
  IDENTITY_POOL_ID,
  startAwsServices,
} from '../support/aws-services.ts';

type Services = AwsServices;
type Logins = Record<string, string>;

let services: Services;
beforeAll(async () => {
  services = await startAwsServices();
});
afterAll(() => services.close());
beforeEach(() => {
  services.time.now = Date.parse('2026-11-21T10:00:00Z');
});

async function getId(logins?: Logins, at: Services = services): Promise<string> {
  const input = { IdentityPoolId: IDENTITY_POOL_ID, ...(logins ? { Logins: logins } : {}) };
  return (await at.client().send(new GetIdCommand(input))).IdentityId ?? '';
}

function getCredentials(identityId: string, logins?: Logins, at: Services = services) {
  const input = { IdentityId: identityId, ...(logins ? { Logins: logins } : {}) };
  return at.client().send(new GetCredentialsForIdentityCommand(input));
}

async function loginOf(sub: string, at: Services = services): Promise<Logins> {
  return { [at.providerName]: await at.tokens.mintIdToken(at.grant(sub), null) };
}

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
    const issuer = String(decodeJwt(token).iss);
    expect(issuer).toBe(`http://${services.issuerName}`);
    expect(await getId({ [services.issuerName]: token })).toBe(await getId(await loginOf(sub)));
  });

  test('rejects an unknown identity pool', async () => {
    const IdentityPoolId = 'us-east-1:00000000-0000-4000-8000-000000000000';
    const call = services.client().send(new GetIdCommand({ IdentityPoolId }));
    await expect(call).rejects.toThrow(ResourceNotFoundException);
    await expect(call).rejects.toThrow(`IdentityPool '${IdentityPoolId}' not found.`);
  });

  test('rejects a malformed identity pool id', async () => {
    const call = services.client().send(new GetIdCommand({ IdentityPoolId: 'pool' }));
    await expect(call).rejects.toMatchObject({ name: 'InvalidParameterException' });
    await expect(call).rejects.toThrow(CognitoIdentityServiceException);
  });

  test('rejects guests and accepts users when guests are not allowed', async () => {
    const closed = await startAwsServices({ allowGuests: false });
    try {
      const guest = getId(undefined, closed);
      await expect(guest).rejects.toThrow(NotAuthorizedException);
      await expect(guest).rejects.toThrow('Unauthenticated access is not supported for this identity pool.');
      const login = await loginOf(randomUUID(), closed);
      const { Credentials } = await getCredentials(await getId(login, closed), login, closed);
      expect(Credentials?.AccessKeyId).toMatch(/^ASIA/);
    } finally {
      await closed.close();
    }
  });
});

describe('a login', () => {
  const rejections: [what: string, message: RegExp, login: () => Promise<Logins>][] = [
    [
      'of another provider',
      /^Token is not from a supported provider of this identity pool\.$/,
      async () => ({ 'accounts.google.com': await idToken() }),
    ],
    [
      'with a second provider',
      /^Token is not from a supported provider of this identity pool\.$/,
      async () => ({ ...(await loginOf(randomUUID())), 'accounts.google.com': 'x.y.z' }),
    ],
    [
      'with the URL of the issuer as provider name',
      /^Token is not from a supported provider of this identity pool\.$/,
      async () => ({ [`http://${services.issuerName}`]: await idToken() }),
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
      'signed with a symmetric key',
      /^Invalid login token\. /,
      async () =>
        provided(
          await new SignJWT({ token_use: 'id', sub: randomUUID() })
            .setProtectedHeader({ alg: 'HS256' })
            .sign(Buffer.alloc(32, 7)),
        ),
    ],
    [
      'for another app client',
      /^Invalid login token\. Incorrect token audience\.$/,
      async () =>
        provided(
          await services.tokens.mintIdToken({ ...services.grant(), clientId: 'another-client' }, null),
        ),
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
        services.revoked.add(grant.originJti);
        return provided(await services.tokens.mintIdToken(grant, null));
      },
    ],
  ];

  const idToken = () => services.tokens.mintIdToken(services.grant(), null);
  const provided = (token: string): Logins => ({ [services.providerName]: token });

  test.each(rejections)('%s is not authorized', async (_, message, login) => {
    const identity = await getId();
    const logins = await login();
    for (const send of [() => getId(logins), () => getCredentials(identity, logins)]) {
      const call = send();
      await expect(call).rejects.toThrow(NotAuthorizedException);
      await expect(call).rejects.toThrow(message);
    }
  });
});

describe('GetCredentialsForIdentity', () => {
  test('returns temporary credentials in the format of AWS', async () => {
    const login = await loginOf(randomUUID());
    const identity = await getId(login);
    const { Credentials, IdentityId } = await getCredentials(identity, login);
    expect(IdentityId).toBe(identity);
    expect(Credentials?.AccessKeyId).toMatch(/^ASIA[A-Z2-7]{16}$/);
    expect(Credentials?.SecretKey).toMatch(/^[A-Za-z0-9+/]{40}$/);
    expect(Credentials?.SessionToken).toMatch(/^IQoJb3JpZ2luX2Vj[A-Za-z0-9+/]{1100,1300}$/);
    expect(Credentials?.Expiration).toEqual(new Date(services.time.now + CREDENTIAL_SECONDS * 1000));
  });

  test('returns new credentials for the same identity and user with every call', async () => {
    const sub = randomUUID();
    const login = await loginOf(sub);
    const identity = await getId(login);
    const keyIds = [await getCredentials(identity, login), await getCredentials(identity, login)].map(
      ({ Credentials }) => Credentials?.AccessKeyId ?? '',
    );
    expect(new Set(keyIds).size).toBe(2);
    for (const keyId of keyIds) {
      expect(services.accessKeys.find(keyId)).toMatchObject({ identityId: identity, sub });
    }
  });

  test('returns credentials without a user to a guest', async () => {
    const identity = await getId();
    const { Credentials } = await getCredentials(identity);
    expect(services.accessKeys.find(Credentials?.AccessKeyId ?? '')).toMatchObject({
      identityId: identity,
      sub: null,
    });
  });

  test("links a guest's identity to the user of a login and then requires the login", async () => {
    const guest = await getId();
    const login = await loginOf(randomUUID());
    expect((await getCredentials(guest, login)).IdentityId).toBe(guest);
    expect(await getId(login)).toBe(guest);
    const withoutLogin = getCredentials(guest);
    await expect(withoutLogin).rejects.toThrow(NotAuthorizedException);
    await expect(withoutLogin).rejects.toThrow(`Access to Identity '${guest}' is forbidden.`);
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
    await expect(call).rejects.toThrow(NotAuthorizedException);
    await expect(call).rejects.toThrow("Logins don't match. Please include at least one valid login");
  });

  test('rejects an unknown identity', async () => {
    const identity = `us-east-1:${randomUUID()}`;
    const call = getCredentials(identity, await loginOf(randomUUID()));
    await expect(call).rejects.toThrow(ResourceNotFoundException);
    await expect(call).rejects.toThrow(`Identity '${identity}' not found.`);
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
