import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type BrokenConnection,
  type Clock,
  type CloudRequest,
  type CloudResponse,
  type Handler,
  text,
  type UnreliableHandler,
} from './exchange.ts';

const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Takes over a connection that a client upgrades to another protocol. */
export type Upgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer, url: URL) => void;

export type CloudServer = {
  /** `http://127.0.0.1:{port}`, unless another origin was given. */
  origin: string;
  /**
   * Starts to handle requests and upgrades, also those that came before. The `Date` header of responses comes from
   * `clock`.
   */
  serve(handler: UnreliableHandler, upgrade: Upgrade, clock: Clock): void;
  /** Closes the port and every open connection. */
  close(): Promise<void>;
  /** Listens on the same port again after `close`. */
  reopen(): Promise<void>;
};

/**
 * Listens on 127.0.0.1 only, and on all addresses for another `origin`; with port 0 on a free port. Rejects when the port
 * is in use.
 */
export async function listen(port: number, origin?: string): Promise<CloudServer> {
  let serve: CloudServer['serve'] = () => {};
  const served = new Promise<Parameters<CloudServer['serve']>>((resolve) => {
    serve = (...handlers) => resolve(handlers);
  });
  const upgraded = new Set<Duplex>();
  const server = createServer(async (incoming, response) => {
    const [handler, , clock] = await served;
    await respond(incoming, response, handler, clock);
  });
  server.on('upgrade', async (incoming, socket, head) => {
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket)).on('error', () => socket.destroy());
    const [, upgrade] = await served;
    const url = parseUrl(incoming);
    if (url) upgrade(incoming, socket, head, url);
    else socket.destroy();
  });
  const open = (chosenPort: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(chosenPort, origin === undefined ? '127.0.0.1' : undefined, resolve);
    });
  await open(port);
  const openedPort = portOf(server);
  return {
    origin: origin ?? `http://127.0.0.1:${openedPort}`,
    serve,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }),
    reopen: () => open(openedPort),
  };
}

/** The allowed methods, with GET also HEAD, and the handler of a path. */
export type Route = [methods: string, handler: Handler | UnreliableHandler];

/**
 * Returns a handler that dispatches requests by exact path; a trailing slash is ignored. An unknown path gets a 404
 * response, and a method that the route does not allow a 405 response with the `Allow` header (RFC 9110 section 15.5.6).
 */
export function createRouter(routes: Readonly<Record<string, Route>>): UnreliableHandler {
  const routesByPath = new Map(Object.entries(routes));
  return async (request) => {
    const [methods, handler] = routesByPath.get(request.url.pathname.replace(/(?<=.)\/$/, '')) ?? [];
    if (methods === undefined || !handler) return text(404, 'Not found\n');
    const allowed = methods.replace('GET', 'GET, HEAD');
    if (!allowed.split(', ').includes(request.method)) {
      return text(405, 'Method not allowed\n', { allow: allowed });
    }
    return handler(request);
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
    body,
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
