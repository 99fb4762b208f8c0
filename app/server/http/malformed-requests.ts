/** The response to bytes that are not a valid HTTP request, or that arrive too slowly. */
import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Translations } from '../../i18n/translations.server.ts';
import { createResponseCookies } from '../cookies/cookie-jar.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Connections } from './connections.ts';
import { renderRejection } from './error-response.ts';
import type { LocationEnv } from './location.ts';
import { ResponseHeads } from './response-head.ts';

type MalformedRequestDeps = {
  env: LocationEnv;
  log: Log;
  translations: Translations;
  metrics: Metrics;
};

/**
 * Handles the server's `clientError` events: 400, 408, 413 or 431 with the site's error page, after the responses to the
 * valid requests before it. Then the connection ends.
 */
export function handleMalformedRequests(
  server: Server,
  connections: Connections,
  deps: MalformedRequestDeps,
): void {
  const rejected = new WeakSet<Socket>();
  const respond = createRawResponse(deps);
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    // The server has no TLS, so its connections are sockets.
    const socket = stream as Socket;
    if (rejected.has(socket)) return;
    rejected.add(socket);
    if (socket.writable) connections.endWith(socket, respond(error));
    else socket.destroy();
  });
}

/** The statuses that Node itself would choose. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

function createRawResponse({ env, log, translations, metrics }: MalformedRequestDeps) {
  const heads = new ResponseHeads(env);
  return ({ code = '' }: NodeJS.ErrnoException): string => {
    const status = STATUSES[code] ?? 400;
    const rejection = { status, code: 'BadRequest' };
    const requestId = randomUUID();
    log.info({ requestId, status, code }, 'malformed request');
    metrics.rejected(rejection.code);
    const request = { path: '/', headers: { get: () => null }, requestId };
    const { headers, body } = renderRejection(rejection, request, translations);
    const text = String(body);
    const own = { 'content-length': String(Buffer.byteLength(text)), date: new Date().toUTCString() };
    const cookies = createResponseCookies();
    const fixed = heads.fix(status, { ...headers, ...own, connection: 'close' });
    const head = heads.complete({ requestId, cookies, vary: [] }, fixed);
    const lines = Array.from(
      { length: head.length / 2 },
      (_, index) => `${head[2 * index]}: ${head[2 * index + 1]}`,
    );
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
  };
}
