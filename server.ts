/** Starts the site: configuration, services, and a server for production; a request handler for Vite in development. */

import { archiveBuild } from './app/server/builds/build-archive.ts';
import { parseEnv } from './app/server/config/env.ts';
import { EnvError } from './app/server/config/env-error.ts';
import { Connections, createSiteServer, LISTEN_BACKLOG } from './app/server/http/connections.ts';
import { EventStreams } from './app/server/http/event-streams.ts';
import { installGracefulShutdown } from './app/server/http/graceful-shutdown.ts';
import { handleMalformedRequests } from './app/server/http/malformed-requests.ts';
import { keepTickObject } from './app/server/http/tick-objects.ts';
import { createLog } from './app/server/observability/log.ts';
import { startMetrics } from './app/server/observability/metrics-listener.ts';
import { createServices, stopServices } from './app/server/request-context.ts';
import { createSite, type RequestHandler } from './app/server/site.ts';

const CLIENT_DIRECTORY = 'build/client';

async function start(): Promise<void> {
  keepTickObject();
  const env = parseEnv();
  const log = createLog(env.logLevel);
  const build = await import('virtual:remix/server-build');
  const buildId = build.assets.version;
  const services = createServices(env, log, {
    buildId,
    publicDirectory: CLIENT_DIRECTORY,
    ...(env.metrics ? { metrics: await startMetrics(env.metrics) } : {}),
  });
  await archiveBuild({ buildId, assets: `${CLIENT_DIRECTORY}/assets`, ...env.builds, now: Date.now(), log });
  const server = createSiteServer();
  const eventStreams = new EventStreams();
  const areAddressesVisitors = env.trustedProxies === 0;
  const connections = new Connections(server, { ...services, areAddressesVisitors, eventStreams });
  const shutdown = installGracefulShutdown(server, {
    connections,
    eventStreams,
    stopServices: () => stopServices(services),
    log,
    noticeMs: env.drainSeconds * 1000,
  });
  handleMalformedRequests(server, connections, services);
  connections.serve(
    createSite(services, { build, shutdown, eventStreams, clientDirectory: CLIENT_DIRECTORY }),
  );
  const address = { port: env.port, ...(env.listenHost ? { host: env.listenHost } : {}) };
  server.listen({ ...address, backlog: LISTEN_BACKLOG }, () =>
    log.info({ origin: env.appOrigin, ...address, buildId }, 'listening'),
  );
}

let developmentSite: Promise<RequestHandler> | undefined;

/** Handles the requests that Vite passes on. A change to a server module reloads this one, and creates a new site. */
export const developmentHandler: RequestHandler = async (request, response) => {
  developmentSite ??= createDevelopmentSite();
  await (await developmentSite)(request, response);
};

async function createDevelopmentSite(): Promise<RequestHandler> {
  const env = parseEnv();
  const build = await import('virtual:remix/server-build');
  const services = createServices(env, createLog(env.logLevel), {
    buildId: build.assets.version,
    publicDirectory: 'public',
  });
  return createSite(services, {
    build,
    shutdown: { isDraining: () => false },
    eventStreams: new EventStreams(),
    clientDirectory: null,
  });
}

if (import.meta.env.PROD) {
  start().catch((error: unknown) => {
    process.stderr.write(error instanceof EnvError ? `${error.message}\n` : `${String(error)}\n`);
    process.exit(1);
  });
}
