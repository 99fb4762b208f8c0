/** Starts the site: configuration, services, and a server for production; a request handler for Vite in development. */

import {
  createLog,
  createSiteServer,
  EventStreams,
  LogOutput,
  type RequestHandler,
} from '@tenfold/site-server';
import { archiveBuild } from './app/server/builds/build-archive.ts';
import { parseEnv } from './app/server/config/env.ts';
import { EnvError } from './app/server/config/env-error.ts';
import { noMetrics } from './app/server/metrics/metrics.ts';
import { startMetrics } from './app/server/metrics/metrics-listener.ts';
import { createServices, stopServices } from './app/server/request-context.ts';
import { serverRulesOf } from './app/server/server-rules.ts';
import { createSite } from './app/server/site.ts';

const CLIENT_DIRECTORY = 'build/client';

async function start(): Promise<void> {
  const env = parseEnv();
  const metrics = env.metrics ? await startMetrics(env.metrics) : noMetrics;
  const logOutput = new LogOutput(process.stdout, metrics);
  const log = createLog(env.logLevel, logOutput);
  const build = await import('virtual:remix/server-build');
  const buildId = build.assets.version;
  const services = createServices(env, log, {
    buildId,
    publicDirectory: CLIENT_DIRECTORY,
    metrics,
  });
  await archiveBuild({ buildId, assets: `${CLIENT_DIRECTORY}/assets`, ...env.builds, now: Date.now(), log });
  const server = createSiteServer({
    ...{ log, metrics },
    rules: serverRulesOf(env),
    createHandler: (lifecycle) =>
      createSite(services, { build, lifecycle, clientDirectory: CLIENT_DIRECTORY }),
    areAddressesVisitors: env.trustedProxies === 0,
    stopServices: async () => {
      await stopServices(services);
      await logOutput.end();
    },
    noticeMs: env.drainSeconds * 1000,
  });
  const address = { port: env.port, ...(env.listenHost ? { host: env.listenHost } : {}) };
  server.listen(address, () => log.info({ origin: env.appOrigin, ...address, buildId }, 'listening'));
}

/** Creates a site for Vite, which passes it the requests that are not its own, and stops it after a change. */
export async function createDevelopmentSite(): Promise<{ handle: RequestHandler; stop(): Promise<void> }> {
  const env = parseEnv();
  const build = await import('virtual:remix/server-build');
  const services = createServices(env, createLog(env.logLevel), {
    buildId: build.assets.version,
    publicDirectory: 'public',
  });
  const handle = createSite(services, {
    build,
    lifecycle: { isDraining: () => false, eventStreams: new EventStreams() },
    clientDirectory: null,
  });
  return { handle, stop: () => stopServices(services) };
}

if (import.meta.env.PROD) {
  start().catch((error: unknown) => {
    process.stderr.write(error instanceof EnvError ? `${error.message}\n` : `${String(error)}\n`);
    process.exit(1);
  });
}
