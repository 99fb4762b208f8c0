/** The client of the identity pool, with responses that the local cloud never sends. */
import { describe, expect, it } from 'vitest';
import {
  respondWith,
  type Script,
  startUpstream,
} from '../../../../tests/support/upstreams/scripted-upstream.ts';
import { createLog } from '../../../site-server/src/log/log.ts';
import {
  createIdentityPoolClient,
  providerNameOf,
  toUpstreamError,
} from '../../src/identity/identity-pool-client.ts';

const POOL_ID = 'us-east-1:0b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0';
const neverAborted = () => new AbortController().signal;
const credentials = {
  AccessKeyId: 'key id',
  SecretKey: 'secret',
  SessionToken: 'token',
  Expiration: 1_800_000_000,
};

/** The client of an identity pool that responds so, what the pool receives, and the log of retries. */
async function openPool(script: Script) {
  const { url, received, clientDisconnected } = await startUpstream(script);
  const retries: unknown[] = [];
  const pool = createIdentityPoolClient({
    id: POOL_ID,
    region: 'us-east-1',
    endpoint: new URL(url).origin,
    clock: Date.now,
    log: createLog('info', { write: (line) => void retries.push(JSON.parse(line)) }),
    sleep: async () => {},
  });
  const operations = () =>
    received.map(({ headers, body }) => ({
      operation: String(headers['x-amz-target']).split('.')[1],
      input: JSON.parse(body),
    }));
  return { pool, operations, retries, clientDisconnected };
}

/** Returns what a call rejects with. */
async function rejection(script: Script): Promise<Error> {
  const { pool } = await openPool(script);
  return pool.getId(null, neverAborted()).then(
    () => Promise.reject(new Error('The call succeeded')),
    (error: Error) => error,
  );
}

describe('the identity pool', () => {
  it('is asked for the identity of a guest, and of a user', async () => {
    const { pool, operations } = await openPool(respondWith(200, { IdentityId: 'us-east-1:1' }));
    const logins = { 'issuer.example': 'token' };
    expect(await pool.getId(null, neverAborted())).toBe('us-east-1:1');
    expect(await pool.getId(logins, neverAborted())).toBe('us-east-1:1');
    expect(operations()).toEqual([
      { operation: 'GetId', input: { IdentityPoolId: POOL_ID } },
      { operation: 'GetId', input: { IdentityPoolId: POOL_ID, Logins: logins } },
    ]);
  });

  it('issues credentials for an identity, which may be linked to another one', async () => {
    const { pool, operations } = await openPool(
      respondWith(200, { IdentityId: 'us-east-1:2', Credentials: credentials }),
    );
    expect(await pool.getCredentials('us-east-1:1', null, neverAborted())).toEqual({
      identityId: 'us-east-1:2',
      credentials: { accessKeyId: 'key id', secretAccessKey: 'secret', sessionToken: 'token' },
      expiresAt: 1_800_000_000_000,
    });
    expect(operations()).toEqual([
      { operation: 'GetCredentialsForIdentity', input: { IdentityId: 'us-east-1:1' } },
    ]);
  });

  it('may leave out the identity, the session token and the expiry', async () => {
    const { AccessKeyId, SecretKey } = credentials;
    const { pool } = await openPool(respondWith(200, { Credentials: { AccessKeyId, SecretKey } }));
    expect(await pool.getCredentials('us-east-1:1', null, neverAborted())).toEqual({
      identityId: 'us-east-1:1',
      credentials: { accessKeyId: 'key id', secretAccessKey: 'secret' },
      expiresAt: 0,
    });
  });

  it('that issues no identity is reported', async () => {
    expect(await rejection(respondWith(200, {}))).toMatchObject({
      service: 'identity-pool',
      code: 'GetIdResponseException',
      message: 'Received undefined response from getId operation',
    });
  });

  it('is asked again after a failure, and the log names the operation', async () => {
    const { pool, retries } = await openPool(respondWith(503, {}));
    await expect(pool.getId(null, neverAborted())).rejects.toThrow();
    await expect(pool.getCredentials('us-east-1:1', null, neverAborted())).rejects.toThrow();
    const operations = ['GetId', 'GetId', 'GetCredentialsForIdentity', 'GetCredentialsForIdentity'];
    expect(retries).toMatchObject(operations.map((operation) => ({ operation, service: 'identity-pool' })));
  });
});

describe('an error of the identity pool', () => {
  const tokenNotAccepted = 'the identity pool does not accept tokens of the app client';

  it.each([
    ['Token is not from a supported provider of this identity pool.', tokenNotAccepted, 'its app client'],
    ['Invalid login token. Incorrect token audience.', tokenNotAccepted, '`issuer`'],
    ["Issuer doesn't match providerName", tokenNotAccepted, '`issuer`'],
    ["IdentityPool 'us-east-1:0' not found.", 'the identity pool does not exist', '`id`'],
    [
      'Invalid identity pool configuration. Check assigned IAM roles for this pool.',
      'the roles of the identity pool do not trust it',
      'trust policies',
    ],
  ])('that says "%s" means that %s, and names the setting to correct', async (message, problem, setting) => {
    const error = await rejection(respondWith(400, { __type: 'SomeException', message }));
    expect(error).toMatchObject({
      name: 'UpstreamError',
      service: 'identity-pool',
      code: 'SomeException',
      message: problem,
      fix: expect.stringContaining(setting),
      cause: { message },
      details: { status: 400 },
    });
  });

  it.each([
    'The user wrote: Unauthenticated access is not supported',
    'The user wrote: Token is not from a supported provider',
    "The user wrote: IdentityPool 'x' not found",
    'The user wrote: Invalid identity pool configuration',
    'Something else.',
  ])('that says %j keeps its code and message', async (message) => {
    const error = await rejection(respondWith(400, { __type: 'SomeException', message }));
    expect(error).toMatchObject({ code: 'SomeException', message, details: { status: 400 } });
    expect(error).not.toHaveProperty('fix');
  });

  it('is a network error if the connection is closed, and has its cause', async () => {
    const error = await rejection((response) => void response.destroy());
    expect(error).toMatchObject({
      code: 'NetworkError',
      message: 'A network error has occurred.',
      cause: { code: 'UND_ERR_SOCKET' },
    });
  });

  it('is an invalid response if it is no JSON', async () => {
    const error = await rejection((response) => void response.end('no JSON'));
    const message = 'The response is invalid.';
    expect(error).toMatchObject({ code: 'InvalidResponse', message, details: { status: 200 } });
  });
});

describe('an error of the SDK that no response of the pool causes', () => {
  const named = (name: string, more: object) =>
    Object.assign(new Error(`said the SDK: ${name}`), { name }, more);
  const timeout = named('TimeoutError', {});

  it.each<[string, unknown, object]>([
    ['a timeout', timeout, { code: 'TimeoutError', message: 'The call timed out.', cause: timeout }],
    [
      'a code of the network',
      named('TimeoutError', { code: 'ECONNREFUSED' }),
      { code: 'NetworkError', message: 'A network error has occurred.' },
    ],
    [
      'a code that is not one of the network',
      named('Error', { code: 'ERR_INVALID_ARG_TYPE' }),
      { code: 'InvalidResponse', message: 'The response is invalid.', details: {} },
    ],
    ['no error at all', 'a text', { code: 'Unknown', message: 'An unknown error has occurred.' }],
  ])('with %s is converted', (_what, error, expected) => {
    const converted = toUpstreamError(error, neverAborted());
    expect(converted).toMatchObject({ name: 'UpstreamError', service: 'identity-pool', ...expected });
  });
});

describe('a call of the identity pool that is aborted', () => {
  /** Aborts a call as soon as the pool has received it. Resolves when the pool sees that the client left. */
  async function abort(reason: Error) {
    const controller = new AbortController();
    const { pool, clientDisconnected } = await openPool(() => controller.abort(reason));
    const error = await pool.getId(null, controller.signal).catch((caught: unknown) => caught);
    await clientDisconnected;
    return error;
  }

  it('rejects with the reason, and leaves the pool', async () => {
    const reason = new Error('the visitor has left');
    expect(await abort(reason)).toBe(reason);
  });

  it('by a time limit is a timeout', async () => {
    const reason = new DOMException('too late', 'TimeoutError');
    expect(await abort(reason)).toMatchObject({
      code: 'TimeoutError',
      message: 'The call timed out.',
      cause: expect.any(Error),
    });
  });
});

it.each([
  ['https://issuer.example/pool', 'issuer.example/pool'],
  ['http://127.0.0.1:1/pool', '127.0.0.1:1/pool'],
  ['issuer.example/https://pool', 'issuer.example/https://pool'],
])('the provider name of %s is %s', (issuer, name) => {
  expect(providerNameOf(issuer)).toBe(name);
});
