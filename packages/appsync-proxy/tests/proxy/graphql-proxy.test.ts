import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Env } from '../../../../app/server/config/env.ts';
import { loadShippedDocuments } from '../../../../app/server/graphql-proxy/shipped-documents.ts';
import { startLocalCloud } from '../../../../tests/support/local-cloud.ts';
import { findSecret, registerSecret } from '../../../../tests/support/secrets/secret-detection.ts';
import { APP_ORIGIN, signUp, siteEnv } from '../../../../tests/support/sign-in/signed-in-session.ts';
import { respondWith, startUpstream } from '../../../../tests/support/upstreams/scripted-upstream.ts';
import { isSameOrigin } from '../../../cognito-session/src/requests/same-origin.ts';
import type { SignedIn } from '../../../cognito-session/src/session/session.ts';
import { createLog } from '../../../site-server/src/log/log.ts';
import { createAppSyncClient } from '../../src/data-api/appsync-client.ts';
import { createIdentityPool } from '../../src/identity/identity-pool.ts';
import {
  createGraphqlProxy,
  type GraphqlProxyOptions,
  type ProxiedCall,
} from '../../src/proxy/graphql-proxy.ts';
import { documentHash } from '../../src/proxy/trusted-documents.ts';
import { CREATE_MESSAGE, LIST_MESSAGES } from '../support/messages.ts';

type ProxyContext = GraphqlProxyOptions & ProxiedCall;

const log = createLog('silent');
const clock = Date.now;
const documents = loadShippedDocuments();

let cloud: LocalCloud;
let alice: SignedIn;

beforeAll(async () => {
  cloud = await startLocalCloud({ onSecret: registerSecret });
  alice = await signUp(cloud);
});
afterAll(() => cloud.close());
afterEach(() => cloud.faults.set({}));

function openContext(
  env: Env = siteEnv(cloud),
  changes: Partial<ProxyContext> = {},
  countOperation = async () => 0,
): ProxyContext {
  const identity = createIdentityPool({
    ...env.identityPool,
    issuer: env.userPool.issuer,
    ...{ clock, log, sleep: async () => {} },
  });
  const api = createAppSyncClient({
    ...env.dataApi,
    credentials: identity,
    countOperation,
    clock,
    log,
    sleep: async () => {},
  });
  const { signal } = new AbortController();
  const call = { requestId: 'request-1', signal, caller: alice, sessionMs: 1.25 };
  const isOwn = (headers: Headers) => isSameOrigin(headers, env.appOrigin);
  return { log, api, documents, isSameOrigin: isOwn, ...call, ...changes };
}

const sameOrigin = { 'sec-fetch-site': 'same-origin', origin: APP_ORIGIN };
const jsonHeaders = { 'content-type': 'application/json', ...sameOrigin };

function post(body: RequestInit['body'], headers: Record<string, string> = jsonHeaders): Request {
  const init = { method: 'POST', headers, body: body ?? null, duplex: 'half' } as const;
  return new Request(`${APP_ORIGIN}/api/graphql`, init);
}

const listMessages = JSON.stringify({ query: LIST_MESSAGES.query });
const createMessage = (content: string) =>
  JSON.stringify({ query: CREATE_MESSAGE.query, variables: { content } });

async function send(request: Request, context = openContext()) {
  const response = await createGraphqlProxy(context)(request, context);
  const text = await response.text();
  expect(findSecret(text)).toBeNull();
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

/** The body of every rejection. */
const rejection = (errorType: string, message: unknown = expect.any(String)) => ({
  data: null,
  errors: [{ message, errorType }],
  extensions: { requestId: 'request-1' },
});

describe('POST /api/graphql', () => {
  it('executes an operation and reports its timing', async () => {
    const context = openContext();
    const hash = documentHash(CREATE_MESSAGE.query);
    const created = await send(
      post(JSON.stringify({ documentId: `sha256:${hash}`, variables: { content: 'Hello' } })),
      context,
    );
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({ data: { createMessage: { content: 'Hello', mine: true } } });
    const legs = (desc: string) =>
      new RegExp(
        `^session;dur=1\\.[23], identity;dur=[\\d.]+;desc=${desc}, sign;dur=[\\d.]+, upstream;dur=[\\d.]+$`,
      );
    expect(created.headers.get('server-timing')).toMatch(legs('miss'));
    const withoutMetadata = { 'content-type': 'application/json; charset=UTF-8', origin: APP_ORIGIN };
    const listed = await send(post(listMessages, withoutMetadata), context);
    expect(listed.body.data.listMessages.items).toMatchObject([{ content: 'Hello' }]);
    expect(listed.headers.get('server-timing')).toMatch(legs('hit'));
  });

  it('needs only the caller, and names each rejected request', async () => {
    const { api, isSameOrigin: isOwn } = openContext();
    const proxy = createGraphqlProxy({ api, documents, isSameOrigin: isOwn });
    expect((await proxy(post(listMessages), { caller: alice })).status).toBe(200);
    const rejected = await proxy(post(listMessages), { caller: null });
    expect(rejected.status).toBe(401);
    expect((await rejected.json()).extensions.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('returns errors of an operation with 200, as GraphQL specifies', async () => {
    const { status, body } = await send(
      post(JSON.stringify({ query: CREATE_MESSAGE.query, variables: { content: ' ' } })),
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      data: null,
      errors: [{ message: 'The input is not valid.', errorType: 'ValidationError', path: ['createMessage'] }],
    });
  });

  it('rejects a visitor who is not signed in with 401', async () => {
    const context = openContext(siteEnv(cloud), { caller: null });
    expect(await send(post(listMessages), context)).toMatchObject({
      status: 401,
      body: rejection('UserUnAuthenticatedException', 'User needs to be authenticated to call this API.'),
    });
  });

  // threat-model: T-041
  it('rejects a request from another site with 403', async () => {
    const foreign = { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' };
    const { status, body } = await send(post(listMessages, foreign));
    expect({ status, body }).toEqual({ status: 403, body: rejection('ForeignOrigin') });
  });

  it.each([
    ['no content type', {}],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a content type with the same prefix', { 'content-type': 'application/jsonp' }],
    ['JSON in another encoding', { 'content-type': 'application/json; charset=utf-16' }],
    ['compressed JSON', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('rejects %s with 415', async (_what, headers) => {
    const body = new TextEncoder().encode(listMessages);
    const { status, body: response } = await send(post(body, { ...sameOrigin, ...headers }));
    expect({ status, response }).toEqual({ status: 415, response: rejection('UnsupportedMediaType') });
  });

  it.each([
    // JSON, if the decoder replaced the byte.
    ['a string that is not UTF-8', Buffer.from(createMessage('caf\xe9'), 'latin1'), 'MalformedJson'],
    ['a batch', `[${listMessages}]`, 'BatchingNotSupported'],
  ])('rejects %s with 400', async (_what, text, code) => {
    const { status, body } = await send(post(text));
    expect({ status, body }).toEqual({ status: 400, body: rejection(code) });
  });

  // threat-model: T-046
  it('rejects an operation that the site does not ship with 403', async () => {
    for (const query of ['{listMessages{nextToken}}', '{__schema{types{name}}}']) {
      const rejected = await send(post(JSON.stringify({ query })));
      expect(rejected).toMatchObject({ status: 403, body: rejection('UntrustedDocument') });
    }
  });

  it('rejects an operation beyond the limit of the session with 429, and does not send it', async () => {
    const countOperation = async () => 1500;
    cloud.faults.forgetCalls();
    const { status, headers, body } = await send(
      post(listMessages),
      openContext(siteEnv(cloud), {}, countOperation),
    );
    expect([status, headers.get('retry-after'), body]).toEqual([429, '2', rejection('TooManyRequests')]);
    expect(cloud.faults.calls).toEqual({});
  });

  // threat-model: T-049
  it('rejects more than 1 MiB with 413, with and without Content-Length', async () => {
    const announced = await send(post('{}', { ...jsonHeaders, 'content-length': '1048577' }));
    expect(announced).toMatchObject({ status: 413, body: rejection('BodyTooLarge') });
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    expect((await send(post(endless))).status).toBe(413);
    expect(sent).toBeLessThan(1.5 * 1024 * 1024);
  });

  // threat-model: T-042
  it('sends the operation to the configured endpoint and forwards no headers', async () => {
    const internal = { 'set-cookie': 'stolen=1', 'x-amzn-requestid': 'internal' };
    const upstream = await startUpstream(
      respondWith(200, { data: {} }, { ...internal, 'content-type': 'text/html' }),
    );
    const smuggled = {
      authorization: 'Bearer mine',
      cookie: '__Host-session=sealed',
      'x-amz-security-token': 'mine',
      x_amz_date: '20200101T000000Z',
      'x-forwarded-host': 'evil.example',
      'x-request-id': 'mine',
    };
    const env = siteEnv(cloud, { GRAPHQL_ENDPOINT: upstream.url });
    const { headers } = await send(post(listMessages, { ...jsonHeaders, ...smuggled }), openContext(env));
    expect([...headers.keys()].sort()).toEqual(['cache-control', 'content-type', 'server-timing']);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { rawHeaders, url } = upstream.received[0] ?? { rawHeaders: [], url: '' };
    const values = rawHeaders.join('\n');
    expect(url).toBe('/graphql');
    for (const value of Object.values(smuggled)) expect(values).not.toContain(value);
    expect(values).not.toContain(APP_ORIGIN);
  });

  // threat-model: T-047
  it.each([
    ['503', { kind: 'status', status: 503 }, 503, '1'],
    ['HTML', { kind: 'html', status: 200 }, 502, null],
  ])(
    'returns a GraphQL error without details, and Retry-After if it is known, when the data API fails with %s',
    async (_what, fault, expected, retryAfter) => {
      cloud.faults.set({ faults: [{ service: 'graphql', ...fault }] });
      const { status, headers, body } = await send(post(listMessages));
      expect([status, headers.get('retry-after')]).toEqual([expected, retryAfter]);
      expect(body).toEqual(
        rejection(expect.any(String), expect.stringMatching(/^(A network|An unknown) error has occurred\.$/)),
      );
    },
  );

  it('returns a GraphQL error when the identity pool fails', async () => {
    cloud.faults.set({
      faults: [{ service: 'cognito-identity', kind: 'error', error: 'NotAuthorizedException' }],
    });
    const { status, body } = await send(post(listMessages));
    expect({ status, body }).toEqual({
      status: 502,
      body: rejection('NotAuthorizedException', 'An unknown error has occurred.'),
    });
  });

  it('returns a GraphQL error, and logs the cause, when the site itself fails', async () => {
    const lines: string[] = [];
    const dataApi = { execute: () => Promise.reject(new RangeError('a bug')) };
    const changes = { api: dataApi, log: createLog('info', { write: (line) => void lines.push(line) }) };
    const { status, body } = await send(post(listMessages), openContext(siteEnv(cloud), changes));
    expect({ status, body }).toEqual({
      status: 500,
      body: rejection('InternalError', 'An unknown error has occurred.'),
    });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', msg: 'request failed', requestId: 'request-1', err: { message: 'a bug' } },
    ]);
  });

  // threat-model: T-041
  it.each(['GET', 'PUT'])('rejects %s with 405', async (method) => {
    const request = new Request(`${APP_ORIGIN}/api/graphql`, { method, headers: jsonHeaders });
    const context = openContext();
    const response = await createGraphqlProxy(context)(request, context);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
