import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Env } from '../../../../app/server/config/env.ts';
import { startUpstream } from '../../../../tests/support/upstreams/scripted-upstream.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  claimsIssuedAt,
  createRefreshToken,
  type ScriptedResponse,
} from '../../../../tests/support/upstreams/scripted-user-pool.ts';
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';
import { createLog } from '../../../site-server/src/log/log.ts';
import { ConfigurationError } from '../../../upstream/src/configuration-error.ts';
import { UpstreamError } from '../../../upstream/src/upstream-error.ts';
import { isRefreshTokenRejected } from '../../src/user-pool/refresh-rejection.ts';
import { createUserPoolClient } from '../../src/user-pool/user-pool-client.ts';

const pool = await shareUserPool();

const log = createLog('silent');
/** A signal of its own for each call: concurrent calls with one signal exceed the number of listeners that Node expects. */
const never = () => new AbortController().signal;

const someTokens = { accessToken: 'a.b.c', idToken: null, refreshToken: 'r', deviceKey: null, clockDrift: 0 };

const clientOf = (changes: Partial<Env['userPool']> = {}) =>
  createUserPoolClient({ env: { userPool: pool.userPool(changes) }, clock: Date.now, log });

const refreshWith = async (changes: Partial<Env['userPool']> = {}, deviceKey: string | null = null) => {
  const tokens = {
    accessToken: await pool.accessToken(claimsIssuedAt(Date.now(), { username: 'ada' })),
    idToken: null,
    refreshToken: createRefreshToken(),
    deviceKey,
    clockDrift: 0,
  };
  return { tokens, response: await clientOf(changes).refresh(tokens, never()) };
};

/** Returns what a refresh rejects with. */
const failedRefresh = (changes: Partial<Env['userPool']> = {}) =>
  refreshWith(changes).then(
    () => Promise.reject(new Error('The refresh succeeded')),
    (error: unknown) => error,
  );

const failWith = (name: string, status = 400, message = 'said the user pool') => ({
  api: () => ({ status, body: { __type: name, message } }),
});

/** Scripts the token endpoint, which the client asks whether the user pool accepts the app client. */
const answerCheckWith = (error: string) => ({ token: () => ({ status: 400, body: { error } }) });

/** Scripts a rejection that leaves open whether it is about the token or the app client. */
const failUnclearly = failWith('NotAuthorizedException', 400, 'Invalid Refresh Token.');

const basicCredentials = `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`;

const succeed = (result: Record<string, unknown>) => ({
  api: () => ({ body: { AuthenticationResult: { TokenType: 'Bearer', ExpiresIn: 3600, ...result } } }),
});

const sentRequest = () => {
  const { headers, body } = pool.received.api[0] ?? { headers: {}, body: '{}' };
  return { target: headers['x-amz-target'], type: headers['content-type'], input: JSON.parse(body) };
};

describe('a refresh', () => {
  it('calls GetTokensFromRefreshToken with the client secret and returns the rotated token', async () => {
    pool.script(succeed({ AccessToken: 'a', IdToken: 'i', RefreshToken: 'r' }));
    const { tokens, response } = await refreshWith({}, 'us-east-1_device');
    expect(sentRequest()).toEqual({
      target: 'AWSCognitoIdentityProviderService.GetTokensFromRefreshToken',
      type: 'application/x-amz-json-1.1',
      input: {
        ClientId: CLIENT_ID,
        RefreshToken: tokens.refreshToken,
        ClientSecret: CLIENT_SECRET,
        DeviceKey: 'us-east-1_device',
      },
    });
    expect(response).toEqual({ accessToken: 'a', idToken: 'i', refreshToken: 'r' });
  });

  it("calls InitiateAuth with the secret hash of the access token's user and returns no refresh token", async () => {
    pool.script(succeed({ AccessToken: 'a' }));
    const { tokens, response } = await refreshWith({ refreshOperation: 'InitiateAuth' }, 'us-east-1_device');
    expect(sentRequest()).toMatchObject({
      target: 'AWSCognitoIdentityProviderService.InitiateAuth',
      input: {
        ClientId: CLIENT_ID,
        AuthFlow: 'REFRESH_TOKEN_AUTH',
        AuthParameters: {
          REFRESH_TOKEN: tokens.refreshToken,
          SECRET_HASH: createHmac('sha256', CLIENT_SECRET).update(`ada${CLIENT_ID}`).digest('base64'),
          DEVICE_KEY: 'us-east-1_device',
        },
      },
    });
    expect(response).toEqual({ accessToken: 'a', idToken: null, refreshToken: null });
  });

  it.each(['GetTokensFromRefreshToken', 'InitiateAuth'] as const)(
    'sends no secret for a public client: %s',
    async (refreshOperation) => {
      pool.script(succeed({ AccessToken: 'a' }));
      await refreshWith({ clientSecret: null, refreshOperation });
      expect(pool.received.api[0]?.body).not.toMatch(/secret|device/i);
    },
  );

  it('is attempted three times while the user pool fails, and the log names the operation', async () => {
    const lines: unknown[] = [];
    pool.script({
      api: (_, count) => (count < 3 ? { status: 503, body: '<html>' } : succeed({ AccessToken: 'a' }).api()),
    });
    const client = createUserPoolClient({
      env: { userPool: pool.userPool() },
      clock: Date.now,
      log: createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }),
    });
    expect((await client.refresh(someTokens, never())).accessToken).toBe('a');
    expect(pool.received.api).toHaveLength(3);
    const operation = 'GetTokensFromRefreshToken';
    const retried = { msg: 'upstream call retried', service: 'user-pool', operation };
    expect(lines).toMatchObject([retried, retried]);
  });
});

describe('a failed refresh', () => {
  it.each([
    'NotAuthorizedException',
    'TokenRevokedException',
    'UserNotFoundException',
    'PasswordResetRequiredException',
    'UserNotConfirmedException',
    'RefreshTokenReuseException',
    'UserLambdaValidationException',
  ])('is a definite rejection, which is not attempted again: %s', async (name) => {
    pool.script({ ...failWith(name), ...answerCheckWith('invalid_grant') });
    expect(isRefreshTokenRejected(await failedRefresh())).toBe(true);
    expect(pool.received.api).toHaveLength(1);
  });

  it.each([
    ['Refresh Token has expired', 0],
    ['Refresh Token has been revoked', 0],
    ['The Refresh Token has expired', 1],
  ])(
    'is a definite rejection with the message "%s" after %i checks of the client',
    async (message, checks) => {
      pool.script({
        ...failWith('NotAuthorizedException', 400, message),
        ...answerCheckWith('invalid_grant'),
      });
      expect(isRefreshTokenRejected(await failedRefresh())).toBe(true);
      expect(pool.received.token).toHaveLength(checks);
    },
  );

  it.each([
    ['NotAuthorizedException', `Unable to verify secret hash for client ${CLIENT_ID}`],
    ['NotAuthorizedException', `SecretHash does not match for the client: ${CLIENT_ID}`],
    [
      'NotAuthorizedException',
      `Client ${CLIENT_ID} is configured with secret but SECRET_HASH was not received`,
    ],
    ['InvalidParameterException', `Client ${CLIENT_ID} is not configured for secret but secret was received`],
    ['InvalidParameterException', 'REFRESH_TOKEN_AUTH flow not enabled for this client'],
    ['InvalidParameterException', 'Refresh token rotation is enabled for this client'],
    ['InvalidParameterException', 'The client secret is received, but the client has none'],
    ['ResourceNotFoundException', `User pool client ${CLIENT_ID} does not exist.`],
  ])('is a configuration error: %s, %s', async (name, message) => {
    pool.script(failWith(name, 400, message));
    const error = await failedRefresh();
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      service: 'user-pool',
      code: 'AppClientRejected',
      message: 'the user pool rejected the app client',
      cause: { message },
      details: { status: 400 },
      fix: expect.stringMatching(
        /`userPool.clientSecret` .* `userPool.refreshOperation` to an operation that this client allows/,
      ),
    });
    expect(isRefreshTokenRejected(error)).toBe(false);
    expect(pool.received.token).toEqual([]);
  });

  it.each(['invalid_client', 'unauthorized_client'])(
    'is a configuration error if the token endpoint answers a check of the client with %s',
    async (error) => {
      pool.script({ ...failUnclearly, ...answerCheckWith(error) });
      expect(await failedRefresh()).toBeInstanceOf(ConfigurationError);
      const [{ headers, body } = { headers: {}, body: '' }] = pool.received.token;
      expect(headers).toMatchObject({
        authorization: basicCredentials,
        'content-type': 'application/x-www-form-urlencoded',
      });
      expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
        grant_type: 'refresh_token',
        client_id: CLIENT_ID,
        refresh_token: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
    },
  );

  const unclear = (status: number) => ({
    code: 'InvalidResponse',
    message: 'The app client could not be checked.',
    details: { status },
  });

  it.each<[string, ScriptedResponse, object]>([
    ['status 500', { status: 500, body: { error: 'invalid_client' } }, unclear(500)],
    ['status 200', { body: { error: 'invalid_client' } }, unclear(200)],
    ['another JSON', { status: 400, body: { message: 'invalid_client' } }, unclear(400)],
    ['a lost connection', 'reset', { code: 'NetworkError' }],
  ])(
    'is temporary while the token endpoint does not say whose fault it is: %s',
    async (_, token, expected) => {
      pool.script({ ...failUnclearly, token: () => token });
      const error = await failedRefresh();
      expect(error).toMatchObject({ name: 'UpstreamError', service: 'hosted-login', ...expected });
      expect(isRefreshTokenRejected(error)).toBe(false);
    },
  );

  it('checks the client once for many rejections within a minute', async () => {
    pool.script({ ...failUnclearly, ...answerCheckWith('invalid_grant') });
    let now = Date.now();
    const client = createUserPoolClient({ env: { userPool: pool.userPool() }, clock: () => now, log });
    const rejection = () => client.refresh(someTokens, never()).catch(isRefreshTokenRejected);
    expect(await Promise.all(Array.from({ length: 20 }, rejection))).toEqual(Array(20).fill(true));
    now += 59_000;
    expect(await rejection()).toBe(true);
    expect(pool.received.token).toHaveLength(1);
    now += 1000;
    await rejection();
    expect(pool.received.token).toHaveLength(2);
  });

  it('checks a client again after its rejection, because the operator may have corrected it', async () => {
    const client = clientOf();
    const refresh = () => client.refresh(someTokens, never());
    pool.script({ ...failUnclearly, ...answerCheckWith('invalid_client') });
    for (let attempt = 1; attempt <= 2; attempt++) {
      await expect(refresh()).rejects.toMatchObject({ code: 'AppClientRejected' });
    }
    pool.script(answerCheckWith('invalid_grant'));
    await expect(refresh()).rejects.toMatchObject({ code: 'NotAuthorizedException' });
  });

  it('has the error code of the header if the body contains none', async () => {
    const headers = { 'x-amzn-errortype': 'UserNotFoundException:http://internal.amazon.com/' };
    pool.script({ api: () => ({ status: 400, headers, body: {} }) });
    await expect(refreshWith()).rejects.toMatchObject({ code: 'UserNotFoundException' });
  });

  const lost = { code: 'NetworkError', message: 'A network error has occurred.', cause: expect.any(Error) };

  it.each<[string, Parameters<typeof pool.script>[0], object]>([
    ['a parameter is invalid', failWith('InvalidParameterException'), { code: 'InvalidParameterException' }],
    ['a trigger does not run', failWith('UnexpectedLambdaException'), { code: 'UnexpectedLambdaException' }],
    ['a trigger responds badly', failWith('InvalidLambdaResponseException'), { details: { status: 400 } }],
    ['it responds with a bare 401', { api: () => ({ status: 401 }) }, { details: { status: 401 } }],
    [
      'its message is long',
      failWith('SomethingNewException', 418, 'x'.repeat(300)),
      { code: 'SomethingNewException', message: 'x'.repeat(200), details: { status: 418 } },
    ],
    [
      'its response contains no tokens',
      { api: () => ({ body: { AuthenticationResult: {} } }) },
      {
        code: 'InvalidResponse',
        message: 'The response to a refresh contains no tokens.',
        cause: expect.any(Error),
      },
    ],
    ['the connection is lost', { api: () => 'reset' }, lost],
  ])('is temporary when %s', async (_, script, expected) => {
    pool.script(script);
    const error = await failedRefresh();
    expect(error).toMatchObject({ name: 'UpstreamError', service: 'user-pool', ...expected });
    expect(isRefreshTokenRejected(error)).toBe(false);
  });

  it('is temporary when the connection is lost during the response', async () => {
    const { url } = await startUpstream((response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{', () => response.destroy());
    });
    expect(await failedRefresh({ endpoint: url })).toMatchObject({ service: 'user-pool', ...lost });
  });

  it('is temporary when the user pool redirects, and the target receives no token and no secret', async () => {
    // The target is an endpoint that records requests. A client that follows redirects would repeat the body there.
    const location = `${pool.userPool().domain}/oauth2/revoke`;
    pool.script({ api: () => ({ status: 307, headers: { location } }), revoke: () => ({}) });
    const error = await failedRefresh();
    expect(error).toBeInstanceOf(UpstreamError);
    expect(isRefreshTokenRejected(error)).toBe(false);
    expect(pool.received.revoke).toEqual([]);
  });

  it('is temporary when the user pool does not respond in time', async () => {
    pool.script({ api: () => 'hang' });
    const refreshing = clientOf().refresh(someTokens, AbortSignal.timeout(50));
    const error = await refreshing.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'UpstreamError',
      service: 'user-pool',
      code: 'TimeoutError',
      message: 'The user pool did not respond in time.',
      cause: { name: 'TimeoutError' },
    });
    expect(isRefreshTokenRejected(error)).toBe(false);
  });
});

describe('a revocation', () => {
  const revoke = (changes: Partial<Env['userPool']> = {}) => clientOf(changes).revoke('the+token', never());

  it("sends the client's credentials, and accepts a response without a body", async () => {
    pool.script({ revoke: () => ({ status: 204 }) });
    await revoke();
    const [{ headers, body } = { headers: {}, body: '' }] = pool.received.revoke;
    const form = { token: 'the+token', client_id: CLIENT_ID };
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual(form);
    expect(headers.authorization).toBe(basicCredentials);
  });

  it('sends no credentials for a public client', async () => {
    pool.script({ revoke: () => ({}) });
    await revoke({ clientSecret: null });
    expect(pool.received.revoke[0]?.headers.authorization).toBeUndefined();
  });

  it('rejects when it fails, and when the connection is lost', async () => {
    pool.script({ revoke: () => ({ status: 400, body: { error: 'unsupported_token_type' } }) });
    await expect(revoke()).rejects.toMatchObject({
      service: 'hosted-login',
      code: 'RevocationFailed',
      message: 'The refresh token was not revoked.',
      details: { status: 400 },
    });
    pool.script({ revoke: () => 'reset' });
    await expect(revoke()).rejects.toMatchObject({ service: 'hosted-login', code: 'NetworkError' });
  });
});
