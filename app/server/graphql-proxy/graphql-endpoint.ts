/**
 * The data API's proxy in front of Express and Remix, which cost several times what the call itself does. It takes
 * what the gate lets through and leaves all else to the application behind it, where the same proxy is a route.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createResponseCookies, type ResponseCookies } from '../cookies/cookie-jar.ts';
import { createCodingChoice, encodeAs } from '../http/content-coding.ts';
import { wholeOf } from '../http/request-body.ts';
import { gateRequestOf, judgeRequest } from '../http/request-filter.ts';
import { baseHeaders, INERT_POLICY } from '../http/security-headers.ts';
import { createRequestRecord, describeAsked, seenStatus } from '../observability/request-log.ts';
import { createRateLimiter } from '../rate-limit/rate-limiter.ts';
import type { Services } from '../request-context.ts';
import { CallController, type CallSignal } from '../resilience/deadline.ts';
import type { Session } from '../session/session.ts';
import {
  internalError,
  type ProxyAnswer,
  type ProxyCall,
  proxyOperation,
  refuseForNow,
} from './graphql-proxy.ts';

const ROUTE = 'api/graphql';
const PATH = `/${ROUTE}`;
const CALL = describeAsked(ROUTE, 'POST', PATH);

/** What is shorter travels with its head in one packet. */
const WORTH_COMPRESSING = 1024;

/** Answers the call, or hands the request to `next`: the shape of a middleware. */
export type GraphqlEndpoint = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Where a request came from, by what trusted proxies say. */
type AddressOf = (request: IncomingMessage) => string;

/** What is known of a call by the time that it is logged. */
type Visit = { requestId: string; cookies: ResponseCookies; session: Session | null };

/** The endpoint of one process. */
export function createGraphqlEndpoint(services: Services, addressOf: AddressOf): GraphqlEndpoint {
  const { env, log } = services;
  const record = createRequestRecord(services);
  const answerTo = createAnswering(services, addressOf);
  const send = createSending(services);

  return (request, response, next) => {
    const { method, url } = request;
    if (method !== 'POST' || url !== PATH || judgeRequest(gateRequestOf(request), env.appOrigin))
      return next();
    const startedAt = performance.now();
    const visit: Visit = { requestId: randomUUID(), cookies: createResponseCookies(), session: null };
    const leaving = new CallController();
    request.once('error', () => leaving.abort());
    response.once('close', () => {
      if (!response.writableFinished) leaving.abort();
      const { requestId, session } = visit;
      const ms = performance.now() - startedAt;
      record({ requestId, asked: CALL, status: seenStatus(response), ms, session });
    });
    answerTo(callOf(request, leaving), request, visit)
      .catch((err: unknown) => {
        const { requestId } = visit;
        log.error({ err, requestId }, 'a request failed');
        return internalError({ requestId, sessionMs: performance.now() - startedAt });
      })
      .then((answer) => send(request, response, answer, visit));
  };
}

/** Opens the session, looks whether it asks too often, and carries the operation out. */
function createAnswering(services: Services, addressOf: AddressOf) {
  const { sessions, guests, metrics } = services;
  const limiter = createRateLimiter(services);

  return async (call: ProxyCall, request: IncomingMessage, visit: Visit): Promise<ProxyAnswer> => {
    const startedAt = performance.now();
    const source = { headers: { get: call.header } };
    const session = await sessions.open(source, visit.cookies);
    visit.session = session;
    metrics.sessionOpened(session.state);
    if (session.state === 'signed-in') await guests.adopt(session, source, visit.cookies);
    const known = { requestId: visit.requestId, session, sessionMs: performance.now() - startedAt };
    const retryAfterMs = await limiter.take(ROUTE, session, () => addressOf(request));
    if (retryAfterMs > 0) return refuseForNow(retryAfterMs, services, known);
    return proxyOperation(call, services, known);
  };
}

/** The request for the proxy. */
function callOf(request: IncomingMessage, signal: CallSignal): ProxyCall {
  return {
    method: request.method ?? '',
    header: (name) => request.headers[name]?.toString() ?? null,
    body: (maxBytes) => readBytes(request, maxBytes),
    signal,
  };
}

/** The rest of a body that is too long is left where it is: see `readBody`. */
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) return void chunks.push(chunk);
      request.pause().removeAllListeners('data');
      resolve(null);
    });
    request.once('end', () => resolve(wholeOf(chunks)));
    request.once('error', reject);
  });
}

function createSending({ env }: Services) {
  const chooseCoding = createCodingChoice();
  const shared = Object.entries({
    ...baseHeaders(env),
    'content-security-policy': INERT_POLICY,
    vary: 'Accept-Encoding',
  }).flat();

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    { status, headers, body }: ProxyAnswer,
    { requestId, cookies }: Visit,
  ): Promise<void> => {
    const accepted = chooseCoding(request.headers['accept-encoding']);
    const coding = body.length >= WORTH_COMPRESSING ? accepted : 'identity';
    // Node writes a text together with the head, in one go.
    const bytes = coding === 'identity' ? body : await encodeAs(coding, Buffer.from(body), 'quick');
    // Names and values in turn are what Node writes with the least work.
    const head: (string | string[])[] = ['x-request-id', requestId, ...shared];
    for (const [name, value] of Object.entries(headers)) head.push(name, value);
    head.push('content-length', String(Buffer.byteLength(bytes)));
    if (coding !== 'identity') head.push('content-encoding', coding);
    // As one: where a header has been set before, Node 20 lets the last of a name win.
    const lines = cookies.lines();
    if (lines.length > 0) head.push('set-cookie', lines);
    // Together with the other answers of this turn: who reads them is woken once, not by each.
    setImmediate(() => response.writeHead(status, head).end(bytes));
  };
}
