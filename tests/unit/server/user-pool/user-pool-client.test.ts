import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Env } from '../../../../app/server/config/env.ts';
import { createLog } from '../../../../app/server/observability/log.ts';
import { ConfigurationError } from '../../../../app/server/resilience/configuration-error.ts';
import { UpstreamError } from '../../../../app/server/resilience/upstream-error.ts';
import { isRefreshTokenRejected } from '../../../../app/server/user-pool/refresh-rejection.ts';
import { createUserPoolClient } from '../../../../app/server/user-pool/user-pool-client.ts';
import { startUpstream } from '../../../support/upstreams/scripted-upstream.ts';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  claimsIssuedAt,
  createRefreshToken,
  type ScriptedResponse,
} from '../../../support/upstreams/scripted-user-pool.ts';
import { shareUserPool } from '../../../support/upstreams/shared-user-pool.ts';

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

const failWith = (name: string, status = 400, message = 'said the user pool') => ({
  api: () => ({ status, body: { __type: name, message } }),
});

/** Scripts the token endpoint, which the client asks whether the user pool accepts the app client. */
const answerCheckWith = (error: string, status = 400) => ({
  token: () => ({ status, body: { error } }),
});

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
    const lineLog = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
    pool.script({
      api: (_, count) =>
        count < 3
          ? { status: 503, body: '<html>' }
          : { body: { AuthenticationResult: { AccessToken: 'a' } } },
    });
    const client = createUserPoolClient({
      env: { userPool: pool.userPool() },
      clock: Date.now,
      log: lineLog,
    });
    expect((await client.refresh(someTokens, never())).accessToken).toBe('a');
    expect(pool.received.api).toHaveLength(3);
    const retried = {
      msg: 'upstream call retried',
      service: 'user-pool',
      operation: 'GetTokensFromRefreshToken',
    };
    expect(lines).toMatchObject([retried, retried]);
  });

  it('is attempted once if the user pool rejects it', async () => {
    pool.script({ ...failWith('NotAuthorizedException'), ...answerCheckWith('invalid_grant') });
    await expect(refreshWith()).rejects.toMatchObject({ code: 'NotAuthorizedException' });
    expect(pool.received.api).toHaveLength(1);
  });
});

describe('a failed refresh', () => {
  it.each([
    'NotAuthorizedException',
    'com.amazonaws.cognito#NotAuthorizedException',
    'TokenRevokedException',
    'UserNotFoundException',
    'PasswordResetRequiredException',
    'UserNotConfirmedException',
    'RefreshTokenReuseException',
    'UserLambdaValidationException',
  ])('is a definite rejection: %s', async (name) => {
    pool.script({ ...failWith(name), ...answerCheckWith('invalid_grant') });
    expect(isRefreshTokenRejected(await refreshWith().catch((error) => error))).toBe(true);
  });

  it.each(['Refresh Token has expired', 'Refresh Token has been revoked'])(
    'is a definite rejection without a check of the client: %s',
    async (message) => {
      pool.script(failWith('NotAuthorizedException', 400, message));
      expect(isRefreshTokenRejected(await refreshWith().catch((error) => error))).toBe(true);
      expect(pool.received.token).toEqual([]);
    },
  );

  it.each([
    ['NotAuthorizedException', `Unable to verify secret hash for client ${CLIENT_ID}`],
    ['NotAuthorizedException', `SecretHash does not match for the client: ${CLIENT_ID}`],
    [
      'NotAuthorizedException',
      `Client ${CLIENT_ID} is configured with secret but SECRET_HASH was not received`,
    ],
    ['NotAuthorizedException', `Client ${CLIENT_ID} is configured for secret but secret was not received`],
    [
      'InvalidParameterException',
      `Client ${CLIENT_ID} is not configured for secret but secret hash was received`,
    ],
    ['InvalidParameterException', `Client ${CLIENT_ID} is not configured for secret but secret was received`],
    ['InvalidParameterException', 'REFRESH_TOKEN_AUTH flow not enabled for this client'],
    ['ResourceNotFoundException', `User pool client ${CLIENT_ID} does not exist.`],
  ])('is a configuration error: %s, %s', async (name, message) => {
    pool.script(failWith(name, 400, message));
    const error = await refreshWith().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      service: 'user-pool',
      code: 'AppClientRejected',
      message: 'the user pool rejected the app client',
      cause: { message },
      details: { status: 400 },
      fix: expect.stringContaining('COGNITO_REFRESH_OPERATION to an operation that this client allows'),
    });
    expect(error.fix).toContain('COGNITO_CLIENT_SECRET');
    expect(isRefreshTokenRejected(error)).toBe(false);
    expect(pool.received.token).toEqual([]);
  });

  it.each([
    ['invalid_client', 400],
    ['invalid_client', 401],
    ['unauthorized_client', 400],
  ])('is a configuration error if the token endpoint answers %s with status %i', async (error, status) => {
    pool.script({
      ...failWith('NotAuthorizedException', 400, 'Invalid Refresh Token.'),
      ...answerCheckWith(error, status),
    });
    await expect(refreshWith()).rejects.toBeInstanceOf(ConfigurationError);
    const [{ headers, body } = { headers: {}, body: '' }] = pool.received.token;
    expect(headers.authorization).toBe(
      `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`,
    );
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      grant_type: 'refresh_token',
      client_id: CLIENT_ID,
      refresh_token: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it.each(['The Refresh Token has expired', 'Refresh Token is not valid'])(
    'is a definite rejection after a check of the client: %s',
    async (message) => {
      pool.script({
        ...failWith('NotAuthorizedException', 400, message),
        ...answerCheckWith('invalid_grant'),
      });
      expect(isRefreshTokenRejected(await refreshWith().catch((error) => error))).toBe(true);
      expect(pool.received.token).toHaveLength(1);
    },
  );

  const unclear = (status: number) => ({
    code: 'InvalidResponse',
    message: 'The app client could not be checked.',
    details: { status },
  });

  it.each<[string, ScriptedResponse, object]>([
    ['status 503', { status: 503, body: { error: 'server_error' } }, unclear(503)],
    ['status 500', { status: 500, body: { error: 'invalid_client' } }, unclear(500)],
    ['status 200', { body: { error: 'invalid_client' } }, unclear(200)],
    ['another JSON', { status: 400, body: { message: 'invalid_client' } }, unclear(400)],
    ['HTML', { status: 400, body: '<html>' }, unclear(400)],
    ['a lost connection', 'reset', { code: 'NetworkError' }],
  ])(
    'is temporary while the token endpoint does not say whose fault it is: %s',
    async (_, token, expected) => {
      pool.script({
        ...failWith('NotAuthorizedException', 400, 'Invalid Refresh Token.'),
        token: () => token,
      });
      const error = await refreshWith().catch((thrown) => thrown);
      expect(error).toMatchObject({ name: 'UpstreamError', service: 'hosted-login', ...expected });
      expect(isRefreshTokenRejected(error)).toBe(false);
    },
  );

  it('checks the client once for many rejections within a minute', async () => {
    pool.script({
      ...failWith('NotAuthorizedException', 400, 'Invalid Refresh Token.'),
      ...answerCheckWith('invalid_grant'),
    });
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
    pool.script({
      ...failWith('NotAuthorizedException', 400, 'Invalid Refresh Token.'),
      ...answerCheckWith('invalid_client'),
    });
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

  it.each([
    ['TooManyRequestsException', failWith('TooManyRequestsException')],
    ['InvalidParameterException', failWith('InvalidParameterException')],
    ['ResourceNotFoundException', failWith('ResourceNotFoundException')],
    ['UnexpectedLambdaException', failWith('UnexpectedLambdaException')],
    ['InvalidLambdaResponseException', failWith('InvalidLambdaResponseException')],
    ['a bare 429', { api: () => ({ status: 429 }) }],
    ['a bare 401', { api: () => ({ status: 401 }) }],
    ['HTML with status 200', { api: () => ({ body: '<html>' }) }],
  ])('is temporary: %s', async (_, script) => {
    pool.script(script);
    const error = await refreshWith().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UpstreamError);
    expect(isRefreshTokenRejected(error)).toBe(false);
  });

  it('has the status of the user pool and at most 200 characters of its message', async () => {
    pool.script(failWith('SomethingNewException', 418, 'x'.repeat(300)));
    await expect(refreshWith()).rejects.toMatchObject({
      service: 'user-pool',
      code: 'SomethingNewException',
      message: 'x'.repeat(200),
      details: { status: 418 },
    });
  });

  it('has a cause when the response contains no tokens', async () => {
    pool.script({ api: () => ({ body: { AuthenticationResult: {} } }) });
    await expect(refreshWith()).rejects.toMatchObject({
      service: 'user-pool',
      code: 'InvalidResponse',
      message: 'The response to a refresh contains no tokens.',
      cause: expect.any(Error),
    });
  });

  it('has a cause when the connection is lost, before and during the response', async () => {
    const lost = {
      service: 'user-pool',
      code: 'NetworkError',
      message: 'A network error has occurred.',
      cause: expect.any(Error),
    };
    pool.script({ api: () => 'reset' });
    await expect(refreshWith()).rejects.toMatchObject(lost);
    const upstream = await startUpstream((response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{', () => response.destroy());
    });
    await expect(refreshWith({ endpoint: upstream.url })).rejects.toMatchObject(lost);
  });

  it('is temporary when the user pool redirects, and the target receives no token and no secret', async () => {
    // The target is an endpoint that records requests. A client that follows redirects would repeat the body there.
    const location = `${pool.userPool().domain}/oauth2/revoke`;
    pool.script({ api: () => ({ status: 307, headers: { location } }), revoke: () => ({}) });
    const error = await refreshWith().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UpstreamError);
    expect(isRefreshTokenRejected(error)).toBe(false);
    expect(pool.received.revoke).toEqual([]);
  });

  it('is temporary when the user pool does not respond in time', async () => {
    pool.script({ api: () => 'hang' });
    const error = await clientOf()
      .refresh(someTokens, AbortSignal.timeout(50))
      .catch((thrown) => thrown);
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

  it("sends the client's credentials", async () => {
    pool.script({ revoke: () => ({}) });
    await revoke();
    const [{ headers, body } = { headers: {}, body: '' }] = pool.received.revoke;
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      token: 'the+token',
      client_id: CLIENT_ID,
    });
    expect(headers.authorization).toBe(
      `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`,
    );
  });

  it('succeeds without a body in the response', async () => {
    pool.script({ revoke: () => ({ status: 204 }) });
    await expect(revoke()).resolves.toBeUndefined();
  });

  it('sends no credentials for a public client', async () => {
    pool.script({ revoke: () => ({}) });
    await revoke({ clientSecret: null });
    expect(pool.received.revoke[0]?.headers.authorization).toBeUndefined();
  });

  it('rejects when it fails', async () => {
    pool.script({ revoke: () => ({ status: 400, body: { error: 'unsupported_token_type' } }) });
    await expect(revoke()).rejects.toMatchObject({
      service: 'hosted-login',
      code: 'RevocationFailed',
      message: 'The refresh token was not revoked.',
      details: { status: 400 },
    });
  });

  it('rejects when the connection is lost', async () => {
    pool.script({ revoke: () => 'reset' });
    await expect(revoke()).rejects.toMatchObject({ service: 'hosted-login', code: 'NetworkError' });
  });
});
