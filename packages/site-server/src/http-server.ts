/** The HTTP server, with the limits that Node has itself. */
import { createServer, type Server, type ServerOptions } from 'node:http';
import { MAX_HEADERS } from './request-filter.ts';

/**
 * Headers may have 32 kB because the cookies of a session can have 20 kB. A head that takes longer than ten seconds gets
 * 408 within one second; by default Node checks twice a minute. The limit of the whole request is longer than those of the
 * head and of the body together, so that `readBody` responds to a slow body. Idle connections stay open longer than those
 * of reverse proxies, so that none is closed while a proxy sends a request. At most four kilobytes of a body are kept
 * before a handler reads it, because each chunk takes time, even one of a single byte.
 * The request filter rejects a request without a host: responses by Node would be without limit, log line and headers.
 */
export const SERVER_OPTIONS: ServerOptions = {
  maxHeaderSize: 32 * 1024,
  requireHostHeader: false,
  headersTimeout: 10_000,
  requestTimeout: 40_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  highWaterMark: 4096,
};

/**
 * How many connections may wait to be accepted, up to the limit of the kernel. Node's default of 511 is too few for a
 * burst: the kernel of a client retries a dropped connection only after one second, then after two more.
 */
export const LISTEN_BACKLOG = 4096;

/** Creates a server that does not listen yet. */
export function createHttpServer(options: ServerOptions = SERVER_OPTIONS): Server {
  const server = createServer(options);
  // Each line takes memory, however short it is, also before the head is complete. Node drops those after this number, also
  // one that a proxy appends. The request filter rejects a request from which one may have been dropped.
  server.maxHeadersCount = MAX_HEADERS + 1;
  // Node's own response to an unknown expectation would lack the site's headers; it may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  return server;
}
