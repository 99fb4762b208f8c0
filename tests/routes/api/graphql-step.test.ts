import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDataApi } from '../../../app/server/data-api/data-api.ts';
import { GRAPHQL_ROUTE, type ProxyContext } from '../../../app/server/graphql-proxy/graphql-proxy.ts';
import { createGraphqlStep } from '../../../app/server/graphql-proxy/graphql-step.ts';
import { loadShippedDocuments } from '../../../app/server/graphql-proxy/shipped-documents.ts';
import type { Step } from '../../../app/server/http/exchange.ts';
import { createIdentity } from '../../../app/server/identity/identity.ts';
import { createLog } from '../../../app/server/observability/log.ts';
import { noMetrics } from '../../../app/server/observability/metrics.ts';
import type { SignedIn } from '../../../app/server/session/session.ts';
import { type LocalCloud, startLocalCloud } from '../../../local-cloud/start.ts';
import { serveSteps } from '../../support/http/step-server.ts';
import { shippedQuery } from '../../support/local-cloud/shipped-operations.ts';
import { registerSecret } from '../../support/secrets/secret-detection.ts';
import { APP_ORIGIN, signUp, siteEnv } from '../../support/sign-in/signed-in-session.ts';
import { type Script, startUpstream } from '../../support/upstreams/scripted-upstream.ts';

const log = createLog('silent');
let cloud: LocalCloud;
let alice: SignedIn;
const closing: (() => void)[] = [];

beforeAll(async () => {
  cloud = await startLocalCloud({ onSecret: registerSecret });
  alice = await signUp(cloud);
});
afterAll(async () => {
  for (const close of closing) close();
  await cloud.close();
});

/** Starts the step of the proxy on a free port, with Alice's session. */
async function startProxy(endpoint?: string): Promise<number> {
  const env = siteEnv(cloud, endpoint === undefined ? {} : { GRAPHQL_ENDPOINT: endpoint });
  const identity = createIdentity({ env, clock: Date.now, log });
  const dataApi = createDataApi({ env, identity, countOperation: async () => 0, clock: Date.now, log });
  const trustedDocuments = loadShippedDocuments();
  const request = { requestId: 'request-1', session: alice, sessionMs: 0 };
  const context: ProxyContext = { env, log, metrics: noMetrics, dataApi, trustedDocuments, ...request };
  const matchRoute: Step = (exchange) => {
    exchange.routeId = GRAPHQL_ROUTE;
    return null;
  };
  const server = await serveSteps(() => [matchRoute, createGraphqlStep()], context);
  closing.push(server.close);
  return Number(new URL(server.origin).port);
}

const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', origin: APP_ORIGIN };
const operation = JSON.stringify({ query: shippedQuery.query });

function open(port: number, method = 'POST', more: Record<string, string> = {}) {
  return httpRequest({
    port,
    host: '127.0.0.1',
    path: '/api/graphql',
    method,
    headers: { ...headers, ...more },
  });
}

async function responseTo(request: ReturnType<typeof open>) {
  const [response]: [IncomingMessage] = (await once(request, 'response')) as [IncomingMessage];
  const body = await text(response);
  return { status: response.statusCode, headers: response.headers, body };
}

describe('the proxy over HTTP', () => {
  it('executes an operation', async () => {
    const request = open(await startProxy());
    request.end(operation);
    const { status, headers: responseHeaders, body } = await responseTo(request);
    expect([status, responseHeaders['cache-control'], JSON.parse(body)]).toEqual([
      200,
      'private, no-store',
      { data: { listMessages: { items: [], nextToken: null } } },
    ]);
    expect(responseHeaders['server-timing']).toMatch(/^session;dur=.+identity;.+sign;.+upstream;/);
  });

  it('aborts the upstream call when the client disconnects', async () => {
    let disconnect = () => {};
    const silent: Script = () => disconnect();
    const upstream = await startUpstream(silent);
    const request = open(await startProxy(upstream.url)).on('error', () => {});
    disconnect = () => request.destroy();
    request.end(operation);
    await upstream.clientDisconnected;
    expect(upstream.received).toHaveLength(1);
  });

  it('rejects a streamed body that is too large', async () => {
    const request = open(await startProxy()).on('error', () => {});
    request.write(Buffer.alloc(1024 * 1024, ' '));
    request.write('{}');
    const { status, body } = await responseTo(request);
    expect(status).toBe(413);
    expect(JSON.parse(body).errors).toMatchObject([{ errorType: 'BodyTooLarge' }]);
    request.destroy();
  });

  it('works after a client has disconnected in the middle of a body', async () => {
    const port = await startProxy();
    const aborted = open(port).on('error', () => {});
    aborted.write('{"query":', () => aborted.destroy());
    await new Promise((resolve) => aborted.on('close', resolve));
    const request = open(port);
    request.end(operation);
    expect((await responseTo(request)).status).toBe(200);
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'])('rejects %s with 405', async (method) => {
    const request = open(await startProxy(), method);
    request.end();
    const response = await responseTo(request);
    expect([response.status, response.headers.allow]).toEqual([405, 'POST']);
  });
});
