import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  CREATE_MESSAGE,
  DELETE_MESSAGE,
  LIST_MESSAGES,
} from '../../../../app/graphql/messages.graphql.generated.ts';
import type { FailedCallTiming } from '../../../../app/server/data-api/call-timing.ts';
import { createDataApi } from '../../../../app/server/data-api/data-api.ts';
import type { OperationCall } from '../../../../app/server/data-api/operation.ts';
import { createIdentity } from '../../../../app/server/identity/identity.ts';
import { createLog } from '../../../../app/server/observability/log.ts';
import { ConfigurationError } from '../../../../app/server/resilience/configuration-error.ts';
import type { SignedIn } from '../../../../app/server/session/session.ts';
import { startLocalCloud } from '../../../../packages/local-cloud/start.ts';
import { signUp, siteEnv } from '../../../support/sign-in/signed-in-session.ts';
import { respondWith, type Script, startUpstream } from '../../../support/upstreams/scripted-upstream.ts';

const log = createLog('silent');

const cloud = await startLocalCloud();
const alice = await signUp(cloud);
afterAll(() => cloud.close());
afterEach(() => {
  cloud.faults.set({});
  cloud.faults.forgetCalls();
});

type Options = Partial<Parameters<typeof createDataApi>[0]> & {
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
  const identity = createIdentity({ env, clock, log, sleep });
  const { execute } = createDataApi({
    env,
    identity,
    countOperation: async () => 0,
    clock,
    log,
    sleep,
    ...options,
  });
  /** Executes an operation of the visitor. */
  const call = <Data, Variables>(
    operation: OperationCall<Data, Variables>,
    changes: Partial<Parameters<typeof execute>[2]> = {},
  ) => execute(visitor, operation, { signal: openSignal(), requestId: 'request-1', ...changes });
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
      for (const ms of [timing?.identity, timing?.sign, timing?.upstream]) expect(ms).toBeGreaterThan(0);
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

  it('fetches new credentials once for 100 calls that are rejected at the same time', async () => {
    const credentials = new Set<string>();
    const { call } = await openAt((response, count, request) => {
      const used = String(request.headers['x-amz-security-token']);
      if (credentials.size === 0 || credentials.has(used)) {
        credentials.add(used);
        failing(403, 'ExpiredTokenException')(response, count, request);
      } else respondWith(200, empty)(response, count, request);
    });
    const all = await Promise.all(Array.from({ length: 100 }, () => call(createMessage)));
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
      const more = () => response.writable && response.write('x'.repeat(64 * 1024), more);
      response.writeHead(200, { 'content-type': 'application/json' });
      more();
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
      fix: expect.stringContaining('schema.graphql'),
    },
  ]);
});

describe('operations beyond the limit of a session', () => {
  // threat-model: T-094
  it('are not sent, unless the GraphQL proxy has counted the request', async () => {
    const counted: string[] = [];
    const countOperation = async ({ id }: SignedIn) => {
      counted.push(id);
      return counted.length > 1 ? 1500 : 0;
    };
    const { call } = open({ countOperation });
    await call(listMessages);
    await expect(call(listMessages)).rejects.toMatchObject({
      code: 'TooManyRequests',
      details: { retryAfterMs: 1500 },
    });
    await call(listMessages, { isCounted: true });
    expect(counted).toEqual([alice.id, alice.id]);
    expect(cloud.faults.calls.graphql).toEqual({ ListMessages: 2 });
  });
});
