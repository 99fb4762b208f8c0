/** The response to bytes that are not a valid HTTP request, or of which the end does not arrive. */
import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Translations } from '../../i18n/translations.server.ts';
import { createResponseCookies } from '../cookies/cookie-jar.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Connections, RejectedResponse } from './connections.ts';
import { renderRejection } from './error-response.ts';
import { headersOf, pathOf } from './exchange.ts';
import { type HeadEnv, ResponseHeads } from './response-head.ts';

type MalformedRequestDeps = {
  env: HeadEnv;
  log: Log;
  translations: Translations;
  metrics: Metrics;
};

/**
 * Responds to requests that no handler gets with the site's error page, in the language of the request if its head is
 * complete: to the server's `clientError` events with 400, 408, 413 or 431, after the responses to the valid requests
 * before it. Then the connection ends.
 */
export function handleMalformedRequests(
  server: Server,
  connections: Connections,
  deps: MalformedRequestDeps,
): void {
  const rejected = new WeakSet<Socket>();
  connections.rejectWith(createRawResponse(deps));
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    // The server has no TLS, so its connections are sockets.
    const socket = stream as Socket;
    if (rejected.has(socket)) return;
    rejected.add(socket);
    const { code = '' } = error;
    if (socket.writable) connections.reject(socket, { status: STATUSES[code] ?? 400, code });
    else socket.destroy();
  });
}

/** The statuses that Node itself would choose. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

function createRawResponse({ env, log, translations, metrics }: MalformedRequestDeps): RejectedResponse {
  const heads = new ResponseHeads(env);
  return ({ status, code }, request) => {
    const requestId = randomUUID();
    log.info({ requestId, status, code }, 'malformed request');
    metrics.rejected('BadRequest');
    const path = pathOf(request?.url ?? '/');
    const known = { path, headers: request ? headersOf(request) : { get: () => null }, requestId };
    const { headers, body } = renderRejection({ status, code: 'BadRequest' }, known, translations);
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
