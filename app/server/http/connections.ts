/** Connections: what one may cost before a request has come over it, and the answer to bytes that are no request. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerOptions, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Messages } from '../../i18n/messages.server.ts';
import type { Env } from '../config/env.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { renderRefusal } from './error-response.ts';
import { baseHeaders } from './security-headers.ts';

/**
 * A session with tokens of 20 kB is a header of 20 kB. A head that takes ten seconds, or a request that takes thirty,
 * is answered 408, a second later at most: left alone, Node looks only twice a minute. Idle connections outlive those
 * of the proxies in front, so that none is closed under a request.
 */
export const CONNECTION_LIMITS: ServerOptions = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
};

/**
 * How many connections may wait until the process takes them, as far as the kernel lets it be so many. With Node's own
 * 511 a burst has others wait for seconds: what finds no place is tried again by their kernels a second later, then two.
 */
export const WAITING_CONNECTIONS = 4096;

/** How long who goes on sending may read the answer, in milliseconds: to close at once would take it back. */
const LINGER_MS = 1000;

type ConnectionDeps = { env: Pick<Env, 'appOrigin'>; log: Log; messages: Messages; metrics: Metrics };

/** A server that answers what is no request itself; requests are for the listeners of `request`. */
export function createSiteServer(deps: ConnectionDeps, limits: ServerOptions = CONNECTION_LIMITS): Server {
  const server = createServer(limits);
  /** The last answers of each connection: several, where requests came before the first was answered. */
  const answering = new WeakMap<Duplex, ServerResponse[]>();
  const refused = new WeakSet<Duplex>();

  server.on('request', ({ socket }, response) => {
    const answers = answering.get(socket);
    if (!answers) return void answering.set(socket, [response]);
    while (answers[0]?.writableFinished) answers.shift();
    answers.push(response);
  });
  // Node's own answer to an expectation that it does not know would have none of the site's headers; it may be ignored
  // (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const isInAnswer = answering
      .get(socket)
      ?.some(({ headersSent, writableFinished }) => headersSent && !writableFinished);
    // In the middle of an answer, another one would be read as part of it.
    if (!socket.writable || isInAnswer) return void socket.destroy();
    socket.end(refusalOf(error, deps));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
  return server;
}

/** The statuses that Node itself would choose. */
const STATUS: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

function refusalOf(
  { code = '' }: NodeJS.ErrnoException,
  { env, log, messages, metrics }: ConnectionDeps,
): string {
  const status = STATUS[code] ?? 400;
  const requestId = randomUUID();
  const nonce = randomBytes(16).toString('base64url');
  const refusal = { status, code: 'BadRequest' };
  log.info({ requestId, status, code }, 'bytes that are no request');
  metrics.refused(refusal.code);
  const { headers, body } = renderRefusal(refusal, { path: '/', accept: '*/*', requestId, nonce }, messages);
  const head = Object.entries({
    ...baseHeaders(env),
    ...headers,
    'x-request-id': requestId,
    'cache-control': 'private, no-store',
    'content-length': Buffer.byteLength(body),
    date: new Date().toUTCString(),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`;
}
