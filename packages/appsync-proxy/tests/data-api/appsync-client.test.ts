import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startLocalCloud } from '../../../../tests/support/local-cloud.ts';
import { signUp, siteEnv } from '../../../../tests/support/sign-in/signed-in-session.ts';
import {
  respondWith,
  type Script,
  startUpstream,
} from '../../../../tests/support/upstreams/scripted-upstream.ts';
import type { SignedIn } from '../../../cognito-session/src/session/session.ts';
import { createLog } from '../../../site-server/src/log/log.ts';
import { ConfigurationError } from '../../../upstream/src/configuration-error.ts';
import { type AppSyncOptions, createAppSyncClient } from '../../src/data-api/appsync-client.ts';
import type { FailedCallTiming } from '../../src/data-api/call-timing.ts';
import type { OperationCall } from '../../src/data-api/operation.ts';
import { createIdentityPool } from '../../src/identity/identity-pool.ts';
import { CREATE_MESSAGE, DELETE_MESSAGE, LIST_MESSAGES, REMOVE_MESSAGE } from '../support/messages.ts';

const log = createLog('silent');

const cloud = await startLocalCloud();
const alice = await signUp(cloud);
afterAll(() => cloud.close());
afterEach(() => {
  cloud.faults.set({});
  cloud.faults.forgetCalls();
});

type Options = Partial<AppSyncOptions> & {
  endpoint?: string;
  mode?: string;
  visitor?: SignedIn;
};

const listMessages = { ...LIST_MESSAGES, variables: {} };
const createMessage = { ...CREATE_MESSAGE, variables: { content: 'Hello' } };
const empty = { data: { listMessages: { items: [], nextToken: null } } };

/** Creates the data API of a new process. It does not wait between attempts and records the delays instead. */
function open({ endpoint, mode = 'iam', visitor = alice, ...options }: Options = {}) {
  const env = siteEnv(cloud, {
    GRAPHQL_AUTH_MODE: mode,
    ...(endpoint === undefined ? {} : { GRAPHQL_ENDPOINT: endpoint }),
  });
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  const clock = () => Date.now();
  const openSignal = () => new AbortController().signal;
  const identity = createIdentityPool({
    ...env.identityPool,
    issuer: env.userPool.issuer,
    ...{ clock, log, sleep },
  });
  const { execute } = createAppSyncClient({
    ...env.dataApi,
    credentials: env.dataApi.authMode === 'iam' ? identity : 'access-token',
    clock,
    log,
    sleep,
    ...options,
  });
  /** Executes an operation of the visitor, in another session if one is given. */
  const call = <Data, Variables>(
    operation: OperationCall<Data, Variables>,
    changes: Partial<Parameters<typeof execute>[2]> = {},
    session = visitor,
  ) => execute(session, operation, { signal: openSignal(), requestId: 'request-1', ...changes });
  /** Fetches the visitor's credentials, so that the whole deadline of the next call is for the data API. */
  const cacheCredentials = () => identity.credentialsFor(visitor, openSignal());
  return { call, cacheCredentials, waits };
}

/** The same with an upstream that responds as scripted. */
async function openAt(script: Script, options: Options = {}) {
  const upstream = await startUpstream(script);
  return { upstream, ...open({ endpoint: upstream.url, ...options }) };
}

describe('calls of the local cloud', () => {
  it('end with a configuration error when the role denies the field', async () => {
    cloud.faults.set({ deniedFields: ['Mutation.createMessage'] });
    const error = await open()
      .call(createMessage)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      code: 'PermissionDenied',
      fix: expect.stringContaining('appsync:GraphQL'),
    });
    expect(cloud.faults.calls.graphql, 'there is no second attempt').toEqual({ CreateMessage: 1 });
  });

  // threat-model: T-115
  it.each(['iam', 'userPool'])(
    'that only a group may make are denied in the result (mode: %s)',
    async (mode) => {
      const lines: string[] = [];
      const recorded = createLog('info', { write: (line) => void lines.push(line) });
      const isRestricted = ({ query }: { query: string }) => query === REMOVE_MESSAGE.query;
      const { call } = open({ mode, isRestricted, log: recorded });
      const { data } = (await call(createMessage)).result;
      const variables = { id: data?.createMessage.id ?? '' };
      expect((await call({ ...REMOVE_MESSAGE, variables })).result).toEqual({
        data: null,
        errors: [{ message: 'Not authorized.', errorType: 'Unauthorized' }],
      });
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { level: 'info', operation: 'RemoveMessage', msg: 'operation denied' },
      ]);
    },
  );

  it('report the duration of each step and whether credentials were cached', async () => {
    const { call } = open();
    const first = await call(listMessages, { sessionMs: 7 });
    const second = await call(listMessages);
    expect(first.timing).toMatchObject({ session: 7, identityCached: false, attempts: 1 });
    expect(second.timing).toMatchObject({ session: 0, identityCached: true, attempts: 1 });
    for (const ms of [first.timing.identity, first.timing.sign, first.timing.upstream])
      expect(ms).toBeGreaterThan(0);
  });

  // threat-model: T-038
  it.each([600, -600])(
    'are repeated once with the time of AWS when the clock is %i seconds off',
    async (seconds) => {
      cloud.faults.set({ clockSkewSeconds: seconds });
      const { call } = open({ visitor: await signUp(cloud) });
      const first = await call(createMessage);
      const second = await call(createMessage);
      expect([first.timing.attempts, second.timing.attempts]).toEqual([2, 1]);
      expect(first.result.errors).toEqual([]);
    },
  );

  describe('are signed with a time', () => {
    const OWN_TIME = Date.parse('2026-11-21T10:00:00Z');
    const dateAfter = (minutes: number) => new Date(OWN_TIME + minutes * 60_000);
    const signingDate = (date: Date) => date.toISOString().replace(/[-:]|\.\d+/g, '');

    it.each([
      ['the own time while the upstream is less than five minutes off', 200, undefined, 4.9, 0],
      ['the own time after rejected credentials', 403, 'ExpiredTokenException', -4.9, 0],
      ["the upstream's time when that is five minutes fast", 200, undefined, 5, 5],
      ["the upstream's time when that is five minutes slow", 200, undefined, -5, -5],
      ["the upstream's time after it rejected the time", 403, 'RequestInTheFuture', -2, -2],
    ])('%s', async (_what, status, errorType = '', upstreamMinutes, learnedMinutes) => {
      const headers = { date: dateAfter(upstreamMinutes).toUTCString(), 'x-amzn-errortype': errorType };
      const { upstream, call } = await openAt(respondWith(status, empty, headers), { clock: () => OWN_TIME });
      for (let attempt = 0; attempt < 2; attempt += 1) await call(createMessage).catch(() => {});
      const dates = upstream.received.slice(0, 2).map((request) => request.headers['x-amz-date']);
      expect(dates).toEqual([signingDate(dateAfter(0)), signingDate(dateAfter(learnedMinutes))]);
    });
  });
});

const failing = (status: number, errorType?: string) =>
  respondWith(status, '{}', errorType ? { 'x-amzn-errortype': `${errorType}:http://internal.example/` } : {});
const reset: Script = (response) => response.destroy();

describe('a failed call', () => {
  it.each<[name: string, ofQuery: number, ofMutation: number, script: Script, code: string]>([
    ['429', 3, 3, failing(429), 'UnknownError'],
    ['503', 3, 1, failing(503), 'UnknownError'],
    ['501', 1, 1, failing(501), 'UnknownError'],
    ['throttling', 3, 3, failing(400, 'ThrottlingException'), 'ThrottlingException'],
    ['a wrong signature', 3, 3, failing(403, 'InvalidSignatureException'), 'InvalidSignatureException'],
    ['unknown credentials', 2, 2, failing(403, 'UnrecognizedClientException'), 'UnrecognizedClientException'],
    ['no permission', 1, 1, failing(403, 'AccessDeniedException'), 'PermissionDenied'],
    [
      'a rejected token as a GraphQL error',
      1,
      1,
      respondWith(401, { errors: [{ errorType: 'UnauthorizedException', message: 'Token has expired.' }] }),
      'UnauthorizedException',
    ],
    ['a reset connection', 3, 1, reset, 'NetworkError'],
    ['a page of HTML', 1, 1, respondWith(200, '<html>'), 'InvalidResponse'],
    ['JSON that is not a result', 1, 1, respondWith(200, { message: 'hello' }), 'InvalidResponse'],
    ['204', 1, 1, respondWith(204, ''), 'UnexpectedStatus'],
  ])(
    'with %s takes %i attempts of a query and %i of a mutation',
    async (_name, ofQuery, ofMutation, script, code) => {
      const attemptsAt = async (operation: OperationCall<unknown, unknown>) => {
        const { upstream, call } = await openAt(script);
        await expect(call(operation)).rejects.toMatchObject({ service: 'data-api', code });
        return upstream.received.length;
      };
      const attempts = [await attemptsAt(listMessages), await attemptsAt(createMessage)];
      expect(attempts).toEqual([ofQuery, ofMutation]);
    },
  );

  describe('reports its timing', () => {
    /** Executes an operation that fails, and returns the timing that is reported. */
    async function timingOf({ call }: ReturnType<typeof open>): Promise<FailedCallTiming | undefined> {
      let reported: FailedCallTiming | undefined;
      const onFailure = (timing: FailedCallTiming) => {
        reported = timing;
      };
      await expect(call(listMessages, { sessionMs: 7, onFailure })).rejects.toThrow();
      return reported;
    }

    it('up to the data API that responded with an error, over all attempts', async () => {
      const timing = await timingOf(await openAt(failing(503)));
      expect(timing).toMatchObject({ session: 7, attempts: 3, failedLeg: 'upstream' });
      const { identity, sign, upstream, pause } = timing ?? {};
      for (const ms of [identity, sign, upstream, pause]) expect(ms).toBeGreaterThan(0);
    });

    it('up to the deadline', async () => {
      const dataApi = await openAt(() => {}, { deadlineMs: 500 });
      await dataApi.cacheCredentials();
      const timing = await timingOf(dataApi);
      expect(timing).toMatchObject({ attempts: 1, failedLeg: 'upstream' });
      const { session = 0, identity = 0, sign = 0, upstream = 0 } = timing ?? {};
      // Timers may fire a millisecond early.
      expect(session + identity + sign + upstream).toBeGreaterThanOrEqual(490);
    });

    it('up to the identity pool that responded with an error', async () => {
      cloud.faults.set({
        faults: [{ service: 'cognito-identity', kind: 'error', error: 'NotAuthorizedException' }],
      });
      const timing = await timingOf(open());
      expect(timing).toMatchObject({ sign: 0, upstream: 0, failedLeg: 'identity' });
      expect(timing?.identity).toBeGreaterThan(0);
    });

    it('without any attempt while the circuit breaker is open', async () => {
      const dataApi = await openAt(failing(501));
      for (let failure = 0; failure < 5; failure += 1) await timingOf(dataApi);
      expect(await timingOf(dataApi)).toMatchObject({
        session: 7,
        upstream: 0,
        attempts: 0,
        failedLeg: null,
      });
    });
  });

  it('that did not reach the upstream is repeated, also of a mutation', async () => {
    const { upstream, call, waits } = await openAt(respondWith(200, empty));
    upstream.close();
    await expect(call(createMessage)).rejects.toMatchObject({ code: 'ConnectError' });
    expect(waits).toHaveLength(2);
  });

  it('is not repeated when Retry-After exceeds the deadline', async () => {
    const { upstream, call, waits } = await openAt(respondWith(503, '', { 'retry-after': '30' }));
    await expect(call(listMessages)).rejects.toMatchObject({
      details: { status: 503, retryAfterMs: 30_000 },
    });
    expect(upstream.received).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  // threat-model: T-043
  it('does not follow a redirect, whose target receives no credentials', async () => {
    const target = await startUpstream(respondWith(200, empty));
    for (const status of [301, 302, 303, 307, 308]) {
      const { call } = await openAt(respondWith(status, '', { location: target.url }));
      await expect(call(listMessages)).rejects.toMatchObject({
        code: 'UnexpectedStatus',
      });
    }
    expect(target.received).toEqual([]);
  });

  it('fetches new credentials once for 60 calls that are rejected at the same time', async () => {
    const credentials = new Set<string>();
    const { call } = await openAt((response, count, request) => {
      const used = String(request.headers['x-amz-security-token']);
      if (credentials.size === 0 || credentials.has(used)) {
        credentials.add(used);
        failing(403, 'ExpiredTokenException')(response, count, request);
      } else respondWith(200, empty)(response, count, request);
    });
    const all = await Promise.all(Array.from({ length: 60 }, () => call(createMessage)));
    expect(all.every(({ result }) => result.errors.length === 0)).toBe(true);
    expect(cloud.faults.calls['cognito-identity']).toEqual({ GetId: 1, GetCredentialsForIdentity: 2 });
  });
});

describe('a slow or failing upstream', () => {
  // threat-model: T-048
  it('that never ends its response is disconnected at the deadline', async () => {
    const trickling: Script = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(timer));
    };
    const { upstream, call, cacheCredentials } = await openAt(trickling, { deadlineMs: 1_000 });
    await cacheCredentials();
    await expect(call(listMessages)).rejects.toMatchObject({
      name: 'UpstreamError',
      code: 'TimeoutError',
    });
    await upstream.clientDisconnected;
    expect(upstream.received).toHaveLength(1);
  });

  it('that does not respond to a query is called again within the deadline', async () => {
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'hang', times: 1 }] });
    const { call, cacheCredentials, waits } = open({ queryAttemptMs: 1000, deadlineMs: 20_000 });
    await cacheCredentials();
    const { result, timing } = await call(listMessages);
    expect([result.errors, timing.attempts]).toEqual([[], 2]);
    expect(waits).toHaveLength(1);
  });

  it('that does not respond to a mutation is not called again: it may have executed it', async () => {
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'hang', times: 1 }] });
    const { call, cacheCredentials } = open({ queryAttemptMs: 100, deadlineMs: 500 });
    await cacheCredentials();
    await expect(call(createMessage)).rejects.toMatchObject({
      code: 'TimeoutError',
    });
    expect(cloud.faults.calls.graphql).toEqual({ CreateMessage: 1 });
  });

  it('is disconnected when the client of the site disconnects', async () => {
    const client = new AbortController();
    const { upstream, call } = await openAt(() => client.abort(new DOMException('aborted', 'AbortError')));
    const { signal } = client;
    await expect(call(listMessages, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    await upstream.clientDisconnected;
  });

  it('is not called when the client has already disconnected', async () => {
    const { upstream, call } = await openAt(respondWith(200, empty));
    const signal = AbortSignal.abort();
    await expect(call(listMessages, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(upstream.received).toEqual([]);
  });

  it('has less time when opening the session took time', async () => {
    const { call } = await openAt(() => {}, { deadlineMs: 60_000 });
    await expect(call(listMessages, { sessionMs: 59_900 })).rejects.toMatchObject({ code: 'TimeoutError' });
  });

  // threat-model: T-048
  it('is disconnected when its response exceeds 5 MB', async () => {
    const { upstream, call } = await openAt((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => response.write('x'.repeat(1024 * 1024));
      // Not from the callback of `write`: on Node 26 that leaves the event loop no turn in which to read.
      const timer = setInterval(more, 1);
      response.on('close', () => clearInterval(timer));
    });
    await expect(call(listMessages)).rejects.toMatchObject({ code: 'ResponseTooLarge' });
    await upstream.clientDisconnected;
  });

  it('is not called for five seconds after five failures in a row', async () => {
    let now = Date.now();
    let script = failing(501);
    const { upstream, call } = await openAt((...request) => script(...request), { clock: () => now });
    for (let failure = 0; failure < 5; failure += 1) await expect(call(listMessages)).rejects.toThrow();
    await expect(call(listMessages)).rejects.toMatchObject({
      code: 'CircuitOpen',
      details: { retryAfterMs: 5000 },
    });
    expect(upstream.received).toHaveLength(5);
    script = respondWith(200, empty);
    now += 5001;
    expect((await call(listMessages)).result.errors).toEqual([]);
    expect((await call(listMessages)).result.errors).toEqual([]);
  });
});

const unknownError = {
  errorType: 'DataApiError',
  message: 'The data API could not execute the operation.',
};

describe('the data that is forwarded', () => {
  // threat-model: T-042
  it('to the upstream consists of the operation and these headers', async () => {
    const { upstream, call } = await openAt(respondWith(200, empty));
    await call(listMessages);
    const [received] = upstream.received;
    expect(Object.keys(received?.headers ?? {}).sort()).toEqual([
      'accept',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
      'x-amz-date',
      'x-amz-security-token',
      'x-request-id',
    ]);
    expect(received?.headers['x-request-id']).toBe('request-1');
    const { query, operationName } = LIST_MESSAGES;
    expect(JSON.parse(received?.body ?? '')).toEqual({ query, operationName, variables: {} });
  });

  it('to the upstream contains the access token without “Bearer”', async () => {
    const { upstream, call } = await openAt(respondWith(200, empty), { mode: 'userPool' });
    await call(listMessages);
    expect(upstream.received[0]?.headers.authorization).toBe(alice.tokens.accessToken);
    expect(cloud.faults.calls['cognito-identity']).toBeUndefined();
  });

  it('by a client without optional settings is the same, for a caller of an app with sessions of its own', async () => {
    const { url, received } = await startUpstream(respondWith(200, empty));
    const client = createAppSyncClient({ endpoint: url, region: 'us-east-1', credentials: 'access-token' });
    const caller = {
      id: 'session-1',
      user: { sub: 'user-1' },
      tokens: { accessToken: 'own', idToken: null },
    };
    expect((await client.execute(caller, listMessages)).result.errors).toEqual([]);
    expect(received[0]?.headers.authorization).toBe('own');
    expect(received[0]?.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  // threat-model: T-047
  it('to the browser contains the error types that the app names, with the messages of the app', async () => {
    const failed = (errorType: string) => ({ errorType, message: 'secret', path: ['createMessage'] });
    const response = { data: null, errors: [failed('QuotaExceeded'), failed('constructor')] };
    const errorTypes = { QuotaExceeded: 'You have written enough for today.' };
    const { call } = await openAt(respondWith(200, response), { errorTypes });
    expect((await call(createMessage)).result.errors).toEqual([
      { errorType: 'QuotaExceeded', message: errorTypes.QuotaExceeded, path: ['createMessage'] },
      { ...unknownError, path: ['createMessage'] },
    ]);
  });

  // threat-model: T-047
  it.each<[of: string, error: object, forwarded: object]>([
    [
      'a known type',
      {
        errorType: 'Unauthorized',
        message: 'Only its author can delete a message.',
        path: ['deleteMessage'],
        errorInfo: { key: 1 },
      },
      { errorType: 'Unauthorized', message: 'Not authorized.', path: ['deleteMessage'] },
    ],
    [
      'a message that is gone',
      { errorType: 'NotFound', message: 'arn:aws:dynamodb:…', path: ['deleteMessage'] },
      { errorType: 'NotFound', message: 'Not found.', path: ['deleteMessage'] },
    ],
    [
      'a failed resolver',
      { errorType: 'DynamoDB:SomeException', message: 'secret', path: ['a', 0, 'b'], data: {} },
      { ...unknownError, path: ['a', 0, 'b'] },
    ],
    [
      'a page token that AppSync rejects',
      { errorType: 'DynamoDB:UserIllegalArgumentException', message: 'secret', path: ['list'], data: null },
      { errorType: 'ValidationError', message: 'The input is not valid.', path: ['list'] },
    ],
    [
      'an invalid document',
      { message: 'Validation error of type FieldUndefined', path: null, locations: [{ line: 1 }] },
      unknownError,
    ],
    [
      'a type with the name of an inherited property',
      { errorType: 'constructor', message: '' },
      unknownError,
    ],
  ])(
    'to the browser replaces the text of an error: the error of %s keeps its type, if known, and its path',
    async (_of, error, forwarded) => {
      const body = { data: null, errors: [error], extensions: { a: 1 } };
      const { call } = await openAt(respondWith(200, body));
      const { result } = await call(listMessages);
      expect(result).toEqual({ data: null, errors: [forwarded] });
    },
  );
});

it('a field without a directive for the authorization mode is a configuration error, which is logged', async () => {
  const message = 'Not Authorized to access deleteMessage on type Mutation';
  const error = { path: ['deleteMessage'], errorType: 'Unauthorized', message };
  const lines: string[] = [];
  const ownLog = createLog('info', { write: (line) => lines.push(line) });
  const { call } = await openAt(respondWith(200, { data: null, errors: [error] }), { log: ownLog });
  const { result } = await call({ ...DELETE_MESSAGE, variables: { id: 'message-1' } });
  expect(result.errors).toEqual([
    {
      errorType: 'PermissionDenied',
      message: 'The data API is not configured for this operation.',
      path: ['deleteMessage'],
    },
  ]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'error',
      msg: 'configuration error',
      fields: ['deleteMessage'],
      fix: expect.stringContaining('directive of the authorization mode'),
    },
  ]);
});

describe('operations beyond the limit of a session', () => {
  // threat-model: T-094
  it('are not sent', async () => {
    const counted: string[] = [];
    const countOperation = async ({ id }: { id: string }) => {
      counted.push(id);
      return counted.length > 1 ? 1500 : 0;
    };
    const { call } = open({ countOperation });
    await call(listMessages);
    await expect(call(listMessages)).rejects.toMatchObject({
      code: 'TooManyRequests',
      details: { retryAfterMs: 1500 },
    });
    expect(counted).toEqual([alice.id, alice.id]);
    expect(cloud.faults.calls.graphql).toEqual({ ListMessages: 1 });
  });

  // threat-model: T-094
  it('are rejected when 64 of the account are in progress, in whatever session', async () => {
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'hang', times: 64 }] });
    const { call, cacheCredentials } = open({ deadlineMs: 2000 });
    await cacheCredentials();
    const later = { ...alice, id: `${alice.id}-2` };
    const calls = Array.from({ length: 64 }, (_, index) =>
      call(listMessages, {}, index % 2 === 0 ? alice : later).catch(() => {}),
    );
    await expect(call(listMessages, {}, later)).rejects.toMatchObject({ code: 'Overloaded' });
    await Promise.all(calls);
  });
});
