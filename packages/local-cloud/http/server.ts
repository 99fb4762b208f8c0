import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type BrokenConnection,
  type Clock,
  type CloudRequest,
  type CloudResponse,
  type Handler,
  methodNotAllowed,
  text,
  type UnreliableHandler,
} from './exchange.ts';

const MAX_BODY_BYTES = 2 * 1024 * 1024;

export type CloudServer = {
  /** `http://127.0.0.1:{port}` */
  origin: string;
  /** Starts to handle requests. The `Date` header of responses comes from `clock`. */
  serve(handler: UnreliableHandler, clock: Clock): void;
  /** Closes the port and every open connection. */
  close(): Promise<void>;
  /** Listens on the same port again after `close`. */
  reopen(): Promise<void>;
};

/** Listens on 127.0.0.1 only; with port 0 on a free port. Rejects when the port is in use. */
export async function listen(port: number): Promise<CloudServer> {
  const server = createServer();
  const open = (chosenPort: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(chosenPort, '127.0.0.1', resolve);
    });
  await open(port);
  const openedPort = portOf(server);
  return {
    origin: `http://127.0.0.1:${openedPort}`,
    serve(handler, clock) {
      server.on('request', (incoming, response) => void respond(incoming, response, handler, clock));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    reopen: () => open(openedPort),
  };
}

export type Route = {
  path: string;
  handler: Handler | UnreliableHandler;
  /** The allowed methods. Without this list the handler checks the method itself. */
  methods?: readonly string[];
};

/**
 * Returns a handler that dispatches requests by exact path; a trailing slash is ignored. An unknown path gets a
 * 404 response, a method that the route does not allow a 405 response.
 */
export function createRouter(routes: readonly Route[]): UnreliableHandler {
  const routesByPath = new Map(routes.map((route) => [route.path, route]));
  return async (request) => {
    const route = routesByPath.get(request.url.pathname.replace(/(?<=.)\/$/, ''));
    if (!route) return text(404, 'Not found\n');
    if (route.methods && !route.methods.includes(request.method)) return methodNotAllowed(route.methods);
    return route.handler(request);
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The server has no TCP address.');
  return address.port;
}

async function respond(
  incoming: IncomingMessage,
  response: ServerResponse,
  handler: UnreliableHandler,
  clock: Clock,
): Promise<void> {
  try {
    const body = await readBody(incoming);
    const url = parseUrl(incoming);
    if (!url) return send(response, text(400, 'Bad request\n'), clock);
    if (!body) return send(response, text(413, 'Content too large\n', { connection: 'close' }), clock);
    const result = await handler(toCloudRequest(incoming, url, body));
    if ('broken' in result) breakConnection(response, result);
    else send(response, result, clock);
  } catch (error) {
    // The client closed or reset the connection, so nothing can be sent.
    if (incoming.errored === error || (incoming.destroyed && !incoming.complete)) return;
    console.error('The local cloud failed to handle a request:', error);
    if (response.headersSent) response.destroy();
    else send(response, text(500, 'Internal error\n'), clock);
  }
}

/** Returns the complete body, or null when it is larger than `MAX_BODY_BYTES`. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns null when the request target is not a path or the `Host` header is not valid. */
function parseUrl({ url = '', headers: { host = 'localhost' } }: IncomingMessage): URL | null {
  const address = `http://${host}${url}`;
  return url.startsWith('/') && URL.canParse(address) ? new URL(address) : null;
}

function toCloudRequest(incoming: IncomingMessage, url: URL, body: Buffer): CloudRequest {
  return {
    method: incoming.method ?? '',
    url,
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    body,
    rawPath: incoming.url ?? '',
  };
}

/** Node omits the body in responses to HEAD requests. */
function send(
  response: ServerResponse,
  { status, headers = {}, body = '' }: CloudResponse,
  clock: Clock,
): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    date: new Date(clock()).toUTCString(),
    'content-length': bytes.length,
    ...headers,
  });
  response.end(bytes);
}

function breakConnection(response: ServerResponse, connection: BrokenConnection): void {
  if (connection.broken === 'hang') return;
  if (!connection.midBody) return void response.destroy();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  // The connection is closed after the first bytes are sent, so that the client receives a part of the response.
  response.write('{"half":', () => response.destroy());
}
