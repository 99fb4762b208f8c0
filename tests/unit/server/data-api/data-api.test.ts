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
import {
  inSequence,
  respondWith,
  type Script,
  startUpstream,
} from '../../../support/upstreams/scripted-upstream.ts';

const log = createLog('silent');

const cloud = await startLocalCloud();
const [alice, bob] = await Promise.all([signUp(cloud), signUp(cloud)]);
afterAll(() => cloud.close());
afterEach(() => {
  cloud.faults.set({});
  cloud.faults.forgetCalls();
});

type Options = Partial<Parameters<typeof createDataApi>[0]> & { endpoint?: string; mode?: string };

/** Creates the data API of a new process. It does not wait between attempts and records the delays instead. */
function open({ endpoint, mode = 'iam', ...options }: Options = {}) {
  const env = siteEnv(cloud, {
    GRAPHQL_AUTH_MODE: mode,
    ...(endpoint === undefined ? {} : { GRAPHQL_ENDPOINT: endpoint }),
  });
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  const clock = () => Date.now();
  const identity = createIdentity({ env, clock, log, sleep });
  const dataApi = createDataApi({
    env,
    identity,
    countOperation: async () => 0,
    clock,
    log,
    sleep,
    ...options,
  });
  return { ...dataApi, identity, waits };
}

/** Fetches Alice's credentials, so that the whole deadline of the next call is for the data API. */
const cacheCredentials = ({ identity }: ReturnType<typeof open>) =>
  identity.credentialsFor(alice, new AbortController().signal);

const options = () => ({ signal: new AbortController().signal, requestId: 'request-1' });
const listMessages = { ...LIST_MESSAGES, variables: {} };
const createMessage = { ...CREATE_MESSAGE, variables: { content: 'Hello' } };
const empty = { data: { listMessages: { items: [], nextToken: null } } };

describe('calls of the local cloud', () => {
  it('create, list and delete with signed requests', async () => {
    const { execute } = open();
    const created = await execute(alice, createMessage, options());
    const id = created.result.data?.createMessage.id ?? '';
    expect(created.result).toMatchObject({
      data: { createMessage: { content: 'Hello', mine: true } },
      errors: [],
    });
    const listed = await execute(bob, listMessages, options());
    expect(listed.result.data?.listMessages.items).toMatchObject([{ id, mine: false }]);
    const rejected = await execute(bob, { ...DELETE_MESSAGE, variables: { id } }, options());
    expect(rejected.result.errors).toEqual([
      { message: 'Not authorized.', errorType: 'Unauthorized', path: ['deleteMessage'] },
    ]);
    const deleted = await execute(alice, { ...DELETE_MESSAGE, variables: { id } }, options());
    expect(deleted.result).toEqual({ data: { deleteMessage: { id } }, errors: [] });
  });

  it('end with a configuration error when the role denies the field', async () => {
    cloud.faults.set({ deniedFields: ['Mutation.createMessage'] });
    const error = await open()
      .execute(alice, createMessage, options())
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      code: 'PermissionDenied',
      fix: expect.stringContaining('appsync:GraphQL'),
    });
    expect(cloud.faults.calls.graphql, 'there is no second attempt').toEqual({ CreateMessage: 1 });
    expect((await open().execute(alice, listMessages, options())).result.errors).toEqual([]);
  });

  it('report the duration of each step and whether credentials were cached', async () => {
    const { execute } = open();
    const first = await execute(alice, listMessages, { ...options(), sessionMs: 7 });
    const second = await execute(alice, listMessages, options());
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
      const session = await signUp(cloud);
      const { execute } = open();
      const first = await execute(session, createMessage, options());
      const second = await execute(session, createMessage, options());
      expect([first.timing.attempts, second.timing.attempts]).toEqual([2, 1]);
      expect(first.result.errors).toEqual([]);
    },
  );

  describe('are signed with a time', () => {
    const OWN_TIME = Date.parse('2026-11-21T10:00:00Z');
    const MINUTE_MS = 60_000;

    /** Sends a call twice to an upstream with this status and clock. Returns by how many minutes each signature is off. */
    async function signedMinutes(status: number, errorType: string | undefined, upstreamMinutes: number) {
      const date = new Date(OWN_TIME + upstreamMinutes * MINUTE_MS).toUTCString();
      const errorHeaders: Record<string, string> = errorType ? { 'x-amzn-errortype': errorType } : {};
      const upstream = await startUpstream(respondWith(status, empty, { date, ...errorHeaders }));
      const { execute } = open({ endpoint: upstream.url, clock: () => OWN_TIME });
      for (let call = 0; call < 2; call += 1) await execute(alice, createMessage, options()).catch(() => {});
      return upstream.received.slice(0, 2).map(({ headers }) => {
        const digits = String(headers['x-amz-date']).replace(
          /^(....)(..)(..T..)(..)(..Z)$/,
          '$1-$2-$3:$4:$5',
        );
        return (Date.parse(digits) - OWN_TIME) / MINUTE_MS;
      });
    }

    it.each([
      ['the own time while the upstream is less than five minutes off', 200, undefined, 4.9, 0],
      ['the own time also after an error that has another reason', 500, undefined, 4.9, 0],
      ['the own time after rejected credentials', 403, 'ExpiredTokenException', -4.9, 0],
      ["the upstream's time when that is five minutes fast", 200, undefined, 5, 5],
      ["the upstream's time when that is five minutes slow", 200, undefined, -5, -5],
      ["the upstream's time after it rejected the time", 403, 'RequestInTheFuture', -2, -2],
    ])('%s', async (_what, status, errorType, upstreamMinutes, learned) => {
      expect(await signedMinutes(status, errorType, upstreamMinutes)).toEqual([0, learned]);
    });
  });
});

const failing = (status: number, errorType?: string) =>
  respondWith(status, '{}', errorType ? { 'x-amzn-errortype': `${errorType}:http://internal.example/` } : {});
const reset: Script = (response) => response.destroy();
const resetInBody: Script = (response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"data":', () => response.destroy());
};

/** An error of AWS, whose code the call fails with. */
const rejecting = (status: number, code: string) => [failing(status, code), code] as const;
/** A response with status 200 that is no GraphQL result. */
const invalid = (body: unknown) => [respondWith(200, body), 'InvalidResponse'] as const;

describe('a failed call', () => {
  it.each<[name: string, ofQuery: number, ofMutation: number, script: Script, code: string]>([
    ['429', 3, 3, failing(429), 'UnknownError'],
    ['503', 3, 1, failing(503), 'UnknownError'],
    ['501', 1, 1, failing(501), 'UnknownError'],
    ['throttling', 3, 3, ...rejecting(400, 'ThrottlingException')],
    ['a timeout of the upstream', 3, 3, ...rejecting(408, 'RequestTimeout')],
    ['a wrong signature', 3, 3, ...rejecting(403, 'InvalidSignatureException')],
    ['a future signing time', 3, 3, ...rejecting(403, 'RequestInTheFuture')],
    ['unknown credentials', 2, 2, ...rejecting(403, 'UnrecognizedClientException')],
    ['expired credentials', 2, 2, ...rejecting(403, 'ExpiredTokenException')],
    ['no permission', 1, 1, failing(403, 'AccessDeniedException'), 'PermissionDenied'],
    [
      'a rejected token as a GraphQL error',
      1,
      1,
      respondWith(401, { errors: [{ errorType: 'UnauthorizedException', message: 'Token has expired.' }] }),
      'UnauthorizedException',
    ],
    ['a reset connection', 3, 1, reset, 'NetworkError'],
    ['a reset in the middle of a response', 3, 1, resetInBody, 'NetworkError'],
    ['a page of HTML', 1, 1, ...invalid('<html>')],
    ['JSON that is not a result', 1, 1, ...invalid({ message: 'hello' })],
    ['a list', 1, 1, ...invalid([])],
    ['errors of another shape', 1, 1, ...invalid({ errors: 'all' })],
    ['204', 1, 1, respondWith(204, ''), 'UnexpectedStatus'],
  ])(
    'with %s takes %i attempts of a query and %i of a mutation',
    async (_name, ofQuery, ofMutation, script, code) => {
      const attemptsAt = async (operation: OperationCall<unknown, unknown>) => {
        const upstream = await startUpstream(script);
        const { execute } = open({ endpoint: upstream.url });
        const call = execute(alice, operation, options());
        await expect(call).rejects.toMatchObject({ service: 'data-api', code });
        return upstream.received.length;
      };
      const attempts = [await attemptsAt(listMessages), await attemptsAt(createMessage)];
      expect(attempts).toEqual([ofQuery, ofMutation]);
    },
  );

  describe('reports its timing', () => {
    /** Executes an operation that fails, and returns the timing that is reported. */
    async function timingOf(dataApi: ReturnType<typeof open>): Promise<FailedCallTiming | undefined> {
      let reported: FailedCallTiming | undefined;
      const onFailure = (timing: FailedCallTiming) => {
        reported = timing;
      };
      const call = dataApi.execute(alice, listMessages, { ...options(), sessionMs: 7, onFailure });
      await expect(call).rejects.toThrow();
      return reported;
    }

    it('up to the data API that responded with an error, over all attempts', async () => {
      const upstream = await startUpstream(failing(503));
      const timing = await timingOf(open({ endpoint: upstream.url }));
      expect(timing).toMatchObject({ session: 7, attempts: 3, failedLeg: 'upstream' });
      for (const ms of [timing?.identity, timing?.sign, timing?.upstream]) expect(ms).toBeGreaterThan(0);
    });

    it('up to the deadline', async () => {
      const upstream = await startUpstream(() => {});
      const dataApi = open({ endpoint: upstream.url, deadlineMs: 500 });
      await cacheCredentials(dataApi);
      const timing = await timingOf(dataApi);
      expect(timing).toMatchObject({ attempts: 1, failedLeg: 'upstream' });
      const { session = 0, identity = 0, sign = 0, upstream: waited = 0 } = timing ?? {};
      // Timers may fire a millisecond early.
      expect(session + identity + sign + waited).toBeGreaterThanOrEqual(490);
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
      const upstream = await startUpstream(failing(501));
      const dataApi = open({ endpoint: upstream.url });
      for (let failure = 0; failure < 5; failure += 1) await timingOf(dataApi);
      expect(await timingOf(dataApi)).toMatchObject({
        session: 7,
        upstream: 0,
        attempts: 0,
        failedLeg: null,
      });
    });
  });

  it('is repeated after 200 to 300 ms and after 400 to 500 ms', async () => {
    const upstream = await startUpstream(inSequence(failing(503), reset, respondWith(200, empty)));
    const { execute, waits } = open({ endpoint: upstream.url, random: () => 0.5 });
    const { result, timing } = await execute(alice, listMessages, options());
    expect(result).toEqual({ ...empty, errors: [] });
    expect(timing.attempts).toBe(3);
    expect(waits).toEqual([250, 450]);
  });

  it('that did not reach the upstream is repeated, also of a mutation', async () => {
    const upstream = await startUpstream(respondWith(200, empty));
    upstream.close();
    const { execute, waits } = open({ endpoint: upstream.url });
    await expect(execute(alice, createMessage, options())).rejects.toMatchObject({ code: 'ConnectError' });
    expect(waits).toHaveLength(2);
  });

  it('is not repeated when Retry-After exceeds the deadline', async () => {
    const upstream = await startUpstream(respondWith(503, '', { 'retry-after': '30' }));
    const { execute, waits } = open({ endpoint: upstream.url });
    await expect(execute(alice, listMessages, options())).rejects.toMatchObject({
      details: { status: 503, retryAfterMs: 30_000 },
    });
    expect(upstream.received).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  // threat-model: T-043
  it('does not follow a redirect, whose target receives no credentials', async () => {
    const target = await startUpstream(respondWith(200, empty));
    for (const status of [301, 302, 303, 307, 308]) {
      const upstream = await startUpstream(respondWith(status, '', { location: target.url }));
      const { execute } = open({ endpoint: upstream.url });
      await expect(execute(alice, listMessages, options())).rejects.toMatchObject({
        code: 'UnexpectedStatus',
      });
    }
    expect(target.received).toEqual([]);
  });

  it('fetches new credentials once for 100 calls that are rejected at the same time', async () => {
    const credentials = new Set<string>();
    const upstream = await startUpstream((response, count, request) => {
      const used = String(request.headers['x-amz-security-token']);
      if (credentials.size === 0 || credentials.has(used)) {
        credentials.add(used);
        failing(403, 'ExpiredTokenException')(response, count, request);
      } else respondWith(200, empty)(response, count, request);
    });
    const { execute } = open({ endpoint: upstream.url });
    const all = await Promise.all(
      Array.from({ length: 100 }, () => execute(alice, createMessage, options())),
    );
    expect(all.every(({ result }) => result.errors.length === 0)).toBe(true);
    expect(cloud.faults.calls['cognito-identity']).toEqual({ GetId: 1, GetCredentialsForIdentity: 2 });
  });
});

describe('a slow or failing upstream', () => {
  const trickling: Script = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(timer));
  };

  // threat-model: T-048
  it.each([
    ['never responds', () => {}],
    ['never ends', trickling],
  ] satisfies [string, Script][])('that %s is disconnected at the deadline', async (_what, script) => {
    const upstream = await startUpstream(script);
    const dataApi = open({ endpoint: upstream.url, deadlineMs: 1_000 });
    await cacheCredentials(dataApi);
    await expect(dataApi.execute(alice, listMessages, options())).rejects.toMatchObject({
      name: 'UpstreamError',
      code: 'TimeoutError',
    });
    await upstream.clientDisconnected;
    expect(upstream.received).toHaveLength(1);
  });

  it('that does not respond to a query is called again within the deadline', async () => {
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'hang', times: 1 }] });
    const dataApi = open({ queryAttemptMs: 300, deadlineMs: 20_000 });
    await cacheCredentials(dataApi);
    const { result, timing } = await dataApi.execute(alice, listMessages, options());
    expect([result.errors, timing.attempts]).toEqual([[], 2]);
    expect(dataApi.waits).toHaveLength(1);
  });

  it('that does not respond to a mutation is not called again: it may have executed it', async () => {
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'hang', times: 1 }] });
    const dataApi = open({ queryAttemptMs: 100, deadlineMs: 500 });
    await cacheCredentials(dataApi);
    await expect(dataApi.execute(alice, createMessage, options())).rejects.toMatchObject({
      code: 'TimeoutError',
    });
    expect(cloud.faults.calls.graphql).toEqual({ CreateMessage: 1 });
  });

  it('is disconnected when the client of the site disconnects', async () => {
    const client = new AbortController();
    const upstream = await startUpstream(() => client.abort(new DOMException('aborted', 'AbortError')));
    const { execute } = open({ endpoint: upstream.url });
    const call = execute(alice, listMessages, { ...options(), signal: client.signal });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await upstream.clientDisconnected;
  });

  it('is not called when the client has already disconnected', async () => {
    const upstream = await startUpstream(respondWith(200, empty));
    const { execute } = open({ endpoint: upstream.url });
    await expect(
      execute(alice, listMessages, { ...options(), signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ name: 'AbortError' });
    expect(upstream.received).toEqual([]);
  });

  it('has less time when opening the session took time', async () => {
    const upstream = await startUpstream(() => {});
    const { execute } = open({ endpoint: upstream.url, deadlineMs: 60_000 });
    const call = execute(alice, listMessages, { ...options(), sessionMs: 59_900 });
    await expect(call).rejects.toMatchObject({ code: 'TimeoutError' });
  });

  // threat-model: T-048
  it('is disconnected when its response exceeds 5 MB', async () => {
    const upstream = await startUpstream((response) => {
      const more = () => response.writable && response.write('x'.repeat(64 * 1024), more);
      response.writeHead(200, { 'content-type': 'application/json' });
      more();
    });
    const { execute } = open({ endpoint: upstream.url });
    await expect(execute(alice, listMessages, options())).rejects.toMatchObject({ code: 'ResponseTooLarge' });
    await upstream.clientDisconnected;
  });

  it('is not called for five seconds after five failures in a row', async () => {
    let now = Date.now();
    let script = failing(501);
    const upstream = await startUpstream((...call) => script(...call));
    const { execute } = open({ endpoint: upstream.url, clock: () => now });
    const call = () => execute(alice, listMessages, options());
    for (let failure = 0; failure < 5; failure += 1) await expect(call()).rejects.toThrow();
    await expect(call()).rejects.toMatchObject({ code: 'CircuitOpen', details: { retryAfterMs: 5000 } });
    expect(upstream.received).toHaveLength(5);
    script = respondWith(200, empty);
    now += 5001;
    expect((await call()).result.errors).toEqual([]);
    expect((await call()).result.errors).toEqual([]);
  });
});

const unknownError = {
  errorType: 'DataApiError',
  message: 'The data API could not execute the operation.',
};

describe('the data that is forwarded', () => {
  // threat-model: T-042
  it('to the upstream consists of the operation and these headers', async () => {
    const upstream = await startUpstream(respondWith(200, empty));
    await open({ endpoint: upstream.url }).execute(alice, listMessages, options());
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
    const upstream = await startUpstream(respondWith(200, empty));
    await open({ endpoint: upstream.url, mode: 'userPool' }).execute(alice, listMessages, options());
    expect(upstream.received[0]?.headers.authorization).toBe(alice.tokens.accessToken);
    expect(cloud.faults.calls['cognito-identity']).toBeUndefined();
  });

  // threat-model: T-047
  it.each<[of: string, error: object, forwarded: object]>([
    [
      'a known type',
      {
        errorType: 'NotFound',
        message: 'arn:aws:dynamodb:…',
        path: ['deleteMessage'],
        errorInfo: { key: 1 },
      },
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
      const upstream = await startUpstream(respondWith(200, body));
      const { result } = await open({ endpoint: upstream.url }).execute(alice, listMessages, options());
      expect(result).toEqual({ data: null, errors: [forwarded] });
    },
  );
});

describe('a denied field', () => {
  const deny = (errorType: string, message: string) =>
    startUpstream(
      respondWith(200, { data: null, errors: [{ path: ['deleteMessage'], errorType, message }] }),
    );
  const deleteMessage = { ...DELETE_MESSAGE, variables: { id: 'message-1' } };

  it('is a configuration error when the schema has no directive for the authorization mode', async () => {
    const lines: string[] = [];
    const { url } = await deny('Unauthorized', 'Not Authorized to access deleteMessage on type Mutation');
    const ownLog = createLog('info', { write: (line) => lines.push(line) });
    const { result } = await open({ endpoint: url, log: ownLog }).execute(alice, deleteMessage, options());
    expect(result.errors).toEqual([
      {
        errorType: 'PermissionDenied',
        message: 'The data API is not configured for this operation.',
        path: ['deleteMessage'],
      },
    ]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 'error',
        msg: 'configuration error',
        fields: ['deleteMessage'],
        fix: expect.stringContaining('schema.graphql'),
      }),
    ]);
  });

  it('is unauthorized when the resolver says so', async () => {
    const { url } = await deny('Unauthorized', 'Only its author can delete a message.');
    const { result } = await open({ endpoint: url }).execute(alice, deleteMessage, options());
    expect(result.errors[0]?.errorType).toBe('Unauthorized');
  });
});

describe('operations beyond the limit of a session', () => {
  // threat-model: T-094
  it('are not sent, unless the GraphQL proxy has counted the request', async () => {
    const counted: string[] = [];
    const countOperation = async ({ id }: SignedIn) => {
      counted.push(id);
      return counted.length > 1 ? 1500 : 0;
    };
    const { execute } = open({ countOperation });
    await execute(alice, listMessages, options());
    await expect(execute(alice, listMessages, options())).rejects.toMatchObject({
      code: 'TooManyRequests',
      details: { retryAfterMs: 1500 },
    });
    await execute(alice, listMessages, { ...options(), isCounted: true });
    expect(counted).toEqual([alice.id, alice.id]);
    expect(cloud.faults.calls.graphql).toEqual({ ListMessages: 2 });
  });
});
