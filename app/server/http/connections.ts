/** The HTTP server, its limits for incomplete requests, and the connections with a pending response. */
import { createServer, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Headers may have 32 kB because the cookies of a session can have 20 kB. A head that takes longer than ten seconds, or
 * a request that takes longer than thirty, gets 408 within one second; by default Node checks twice a minute. Idle
 * connections stay open longer than those of reverse proxies, so that none is closed while a proxy sends a request.
 */
export const CONNECTION_LIMITS: ServerOptions = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
};

/**
 * How many connections may wait to be accepted, up to the limit of the kernel. Node's default of 511 is too few for a
 * burst: the kernel of a client retries a dropped connection only after one second, then after two more.
 */
export const LISTEN_BACKLOG = 4096;

/** The open connections of a server. */
export type Connections = {
  /** The responses on a connection that are not complete yet: several where requests are pipelined. */
  pendingResponses(socket: Socket): readonly ServerResponse[];
  /**
   * Closes connections that have not received a byte. Browsers open some ahead of time; Node does not count them as
   * idle.
   */
  closeUnused(): void;
  /** Closes connections without a pending response, such as those that send a head without end. */
  closeWithoutResponse(): void;
};

/** Creates a server that does not listen yet. */
export function createSiteServer(limits: ServerOptions = CONNECTION_LIMITS): Server {
  const server = createServer(limits);
  // Node's own response to an unknown expectation would lack the site's headers; it may be ignored (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  return server;
}

/** Tracks the connections of `server` from now on. */
export function trackConnections(server: Server): Connections {
  const responses = new Map<Socket, ServerResponse[]>();
  const pending = (socket: Socket) =>
    responses.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];

  server.on('connection', (socket) => {
    responses.set(socket, []);
    socket.once('close', () => responses.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const tracked = responses.get(socket);
    while (tracked?.[0]?.writableFinished) tracked.shift();
    tracked?.push(response);
  });
  return {
    pendingResponses: pending,
    closeUnused() {
      for (const socket of responses.keys()) if (socket.bytesRead === 0) socket.destroy();
    },
    closeWithoutResponse() {
      for (const socket of responses.keys()) if (pending(socket).length === 0) socket.destroy();
    },
  };
}
