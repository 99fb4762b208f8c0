/** The server of a site: its connections, its request handler and its shutdown. */
import type { Server } from 'node:http';
import type { RequestHandler } from './connection.ts';
import { Connections } from './connections.ts';
import { EventStreams } from './event-streams.ts';
import { installGracefulShutdown, type Lifecycle } from './graceful-shutdown.ts';
import { createHttpServer, LISTEN_BACKLOG } from './http-server.ts';
import type { Log } from './log/log.ts';
import { createMalformedResponse } from './malformed-requests.ts';
import type { ServerMetrics, ServerRules } from './rules.ts';

export type SiteServerOptions = {
  rules: ServerRules;
  /** Creates the handler of all requests, such as `createRequestHandler` returns. */
  createHandler: (lifecycle: Lifecycle) => RequestHandler;
  /** Whether the address of a connection is that of a visitor, not that of a proxy. */
  areAddressesVisitors: boolean;
  /** Stops what runs beside the requests, after the last response. */
  stopServices: () => Promise<void>;
  /** How long a load balancer may need to notice that `/readyz` returns 503, in milliseconds. */
  noticeMs: number;
  log: Log;
  metrics: ServerMetrics;
};

/**
 * Creates a server and installs its handlers for SIGTERM, SIGINT and uncaught exceptions. Returns the function that makes
 * it listen; the server emits `error` when it cannot.
 */
export function createSiteServer({ rules, createHandler, ...options }: SiteServerOptions) {
  const { areAddressesVisitors, stopServices, noticeMs, log, metrics } = options;
  const server = createHttpServer();
  const eventStreams = new EventStreams();
  const renderError = createMalformedResponse({ rules, log, metrics });
  const connections = new Connections({ log, metrics, areAddressesVisitors, eventStreams, renderError });
  const shutdown = { connections, eventStreams, stopServices, log, noticeMs };
  const { isDraining } = installGracefulShutdown(server, shutdown);
  connections.serve(server, createHandler({ isDraining, eventStreams }));
  return {
    listen: (address: { port: number; host?: string }, onListening: () => void): Server =>
      server.listen({ ...address, backlog: LISTEN_BACKLOG }, onListening),
  };
}
