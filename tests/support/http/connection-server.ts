/** A server with the site's own handling of connections, whose responses a test decides. */
import { once } from 'node:events';
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type ConnectionLimits, Connections } from '../../../packages/site-server/src/connections.ts';
import { EventStreams } from '../../../packages/site-server/src/event-streams.ts';
import { createHttpServer, SERVER_OPTIONS } from '../../../packages/site-server/src/http-server.ts';
import { createLog } from '../../../packages/site-server/src/log/log.ts';
import { createMalformedResponse } from '../../../packages/site-server/src/malformed-requests.ts';
import { closeServer, listenOnLoopback } from './loopback-server.ts';
import { openRawSocket, type RawSocket } from './raw-socket.ts';
import { rulesAt } from './server-rules.ts';

type ConnectionServerOptions = {
  limits?: Partial<ConnectionLimits>;
  /** Options of Node's server that replace the site's. */
  node?: ServerOptions;
  areAddressesVisitors?: boolean;
  /** Responds to the requests that the server itself does not know. */
  respond?: (request: IncomingMessage, response: ServerResponse) => unknown;
};

/** Waits less long for the rest of a request. */
export const IMPATIENT = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };

/** Repeats the body. */
const echo = async (request: IncomingMessage, response: ServerResponse) => {
  const body = await text(request).catch(() => null);
  if (body !== null) response.end(`got ${body}`);
};

/**
 * Starts a server that ends with the test. `/waiting` waits for the test, `/begun` too after the beginning of its response,
 * `/large` sends 20 MB, and any other path gets the body of the request.
 */
export async function startConnectionServer(options: ConnectionServerOptions = {}) {
  const { limits = {}, node = {}, areAddressesVisitors = true, respond = echo } = options;
  const lines: string[] = [];
  const rejected: string[] = [];
  /** The responses that the test ends, in the order of their requests. */
  const begun: ServerResponse[] = [];
  const eventStreams = new EventStreams();
  const deps = {
    rules: rulesAt('https://site.example'),
    log: createLog('info', { write: (line) => void lines.push(line) }),
    metrics: { rejected: (code: string) => void rejected.push(code) },
  };
  const renderError = createMalformedResponse(deps);
  const server = createHttpServer({ ...SERVER_OPTIONS, ...node });
  onTestFinished(() => closeServer(server));
  const connections = new Connections({ ...deps, areAddressesVisitors, eventStreams, renderError, limits });
  connections.serve(server, (request, response) => {
    if (request.url === '/waiting') begun.push(response);
    else if (request.url === '/begun') begun.push(response) && response.write('begun');
    else if (request.url === '/large') response.end(Buffer.alloc(20_000_000));
    else void respond(request, response);
    return () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(503).end('too late');
    };
  });
  const origin = await listenOnLoopback(server);

  /** Opens a connection and sends these bytes. */
  const open = async (bytes = '', keepHalfOpen = false): Promise<RawSocket> => {
    const wire = await openRawSocket(origin, keepHalfOpen);
    if (bytes !== '') wire.write(bytes);
    return wire;
  };
  return {
    connections,
    eventStreams,
    begun,
    rejected,
    open,
    /** The log lines so far, their number, and their codes. */
    lines: () => lines.map((line) => JSON.parse(line)),
    countLines: () => lines.length,
    codes: () => lines.map((line) => JSON.parse(line).code),
    /** Returns what the server sends for these bytes before it closes the connection. */
    answerTo: async (bytes: string) => (await open(bytes)).readUntilClosed(),
    /** Opens a connection that reads nothing yet. */
    async openUnread(bytes: string): Promise<Socket> {
      const { hostname, port } = new URL(origin);
      // A reset is no error.
      const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {});
      await once(socket, 'connect');
      socket.pause().write(bytes);
      return socket;
    },
    countConnections: () =>
      new Promise((resolve) => server.getConnections((_error, count) => resolve(count))),
  };
}

/** Sends bytes until the connection is closed, and returns what was received. */
export async function sendWithoutEnd(wire: RawSocket, bytes: string, everyMs: number): Promise<string> {
  const sending = setInterval(() => wire.write(bytes), everyMs);
  return wire.readUntilClosed().finally(() => clearInterval(sending));
}

/** Sends these parts with a pause after each. */
export async function sendSlowly(wire: RawSocket, parts: readonly string[], pauseMs: number): Promise<void> {
  for (const part of parts) {
    wire.write(part);
    await delay(pauseMs);
  }
}

export const CHUNKED = 'transfer-encoding: chunked';
/** The head of a request with these lines. */
export const headOf = (request: string, ...lines: readonly string[]) =>
  `${[`${request} HTTP/1.1`, 'host: a', ...lines].join('\r\n')}\r\n\r\n`;
export const get = (path: string) => headOf(`GET ${path}`);
/** The last request of its connection. */
export const getLast = (path: string) => headOf(`GET ${path}`, 'connection: close');
export const CLOSE = getLast('/');
