import type { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { createRequestHandler } from '@remix-run/express';
import type { ServerBuild } from '@remix-run/node';
import compression from 'compression';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express';
import proxyAddr from 'proxy-addr';
import { createStaticData } from './app/server/builds/build-data.ts';
import { keepBuild } from './app/server/builds/kept-builds.ts';
import { type Env, parseEnv } from './app/server/config/env.ts';
import { EnvError } from './app/server/config/env-error.ts';
import { createGraphqlEndpoint } from './app/server/graphql-proxy/graphql-endpoint.ts';
import { createSiteServer, WAITING_CONNECTIONS } from './app/server/http/connections.ts';
import { brotliParams } from './app/server/http/content-coding.ts';
import { renderRefusal } from './app/server/http/error-response.ts';
import { type Draining, endInOrder } from './app/server/http/graceful-shutdown.ts';
import { gateRequestOf, judgeRequest, type Refusal } from './app/server/http/request-filter.ts';
import { type Locals, openResponse } from './app/server/http/response-head.ts';
import { createStaticFiles } from './app/server/http/static-files.ts';
import { createLog } from './app/server/observability/log.ts';
import { createMetrics, type Metrics } from './app/server/observability/metrics.ts';
import { listenForMetrics } from './app/server/observability/metrics-listener.ts';
import { createAnonymousPages } from './app/server/page-cache/anonymous-pages.ts';
import {
  type AddressRedirect,
  toVisitorsLanguage,
  withoutTrailingSlash,
} from './app/server/preferences/canonical-address.ts';
import { limitRequestRate } from './app/server/rate-limit/rate-limiter.ts';
import { buildOfRoute } from './app/server/rendering/route-builds.ts';
import { createRouteFinder } from './app/server/rendering/route-finder.ts';
import { createServices, openRequestContext, type Services } from './app/server/request-context.ts';

/** What is written for one visitor is compressed while they wait: two thirds of the time for a twentieth more bytes. */
const QUICK = { level: 4, brotli: { params: brotliParams(3) } };

const CLIENT_DIRECTORY = 'build/client';

/** The whole site as an Express application. */
export function createApp(services: Services, build: ServerBuild, draining: Draining): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', services.env.trustedProxies);
  app.use(openResponse(services));
  app.get('/healthz', (_request, response) => void response.type('text').send('ok\n'));
  app.get('/readyz', (_request, response) => {
    const ready = !draining.isDraining();
    response
      .status(ready ? 200 : 503)
      .type('text')
      .send(ready ? 'ready\n' : 'draining\n');
  });
  app.use(gate(services));
  if (import.meta.env.PROD) {
    app.use(
      createStaticFiles({
        clientDirectory: CLIENT_DIRECTORY,
        buildsDirectory: services.env.builds.directory,
      }),
    );
  }
  app.use(compression(QUICK));
  app.use(staticData(services));
  app.use(findRoute(build));
  app.use(canonicalAddress(services));
  app.use(limitRequestRate(services, (response, refusal) => refuse(response, refusal, services)));
  app.all('*', remix(services, build));
  app.use(lastResort(services));
  return app;
}

function gate(services: Services): RequestHandler {
  return (request, response, next) => {
    const refusal = judgeRequest(gateRequestOf(request), services.env.appOrigin);
    if (refusal) refuse(response, refusal, services);
    else next();
  };
}

function refuse(
  response: Response,
  refusal: Refusal | { status: number; code: string; headers?: Record<string, string> },
  { messages, metrics }: Services,
): void {
  metrics.refused(refusal.code);
  const { requestId, nonce } = response.locals as Locals;
  const { req } = response;
  const accept = req.get('accept') ?? '*/*';
  const answer = renderRefusal(refusal, { path: req.path, accept, requestId, nonce }, messages);
  response
    .status(refusal.status)
    .set({ ...answer.headers, ...refusal.headers })
    .send(answer.body);
}

/** Builds and payloads, which no session and no cookie has a part in. */
function staticData(services: Services): RequestHandler {
  const build = { id: services.buildId, timestamp: import.meta.env.BUILT_AT };
  const answer = createStaticData(build, services.messages);
  return (request, response, next) => {
    const found = answer(request.path, request.originalUrl.slice(request.path.length));
    if (!found) next();
    else if (request.method === 'POST') refuse(response, { status: 405, code: 'MethodNotAllowed' }, services);
    else response.status(found.status).set('cache-control', found.cacheControl).type('json').send(found.body);
  };
}

/** Notes the route that will answer, for its rate limit, the log and the metrics. */
function findRoute(build: ServerBuild): RequestHandler {
  const routeIdOf = createRouteFinder(build.routes);
  return (request, response, next) => {
    response.locals.routeId = routeIdOf(request.path);
    next();
  };
}

/** Opens the request's context, then sends the request where it should have gone in the first place. */
function canonicalAddress(services: Services): RequestHandler {
  return async (request, response, next) => {
    try {
      const locals = response.locals as Locals;
      const webRequest = toWebRequest(request, services.env);
      locals.context = await openRequestContext(services, webRequest, locals);
      if (request.path === '/') response.vary('Accept-Language').vary('Cookie');
      const redirect =
        withoutTrailingSlash(request.originalUrl) ?? (await toVisitorsLanguage(webRequest, locals.context));
      if (redirect) sendRedirect(response, redirect);
      else next();
    } catch (error) {
      next(error);
    }
  };
}

function sendRedirect(response: Response, { status, location }: AddressRedirect): void {
  response.status(status).set('location', location).end();
}

/** The head of the request as the web platform's class, at the site's configured origin. */
function toWebRequest(request: IncomingMessage & { originalUrl: string }, env: Env): Request {
  const headers = new Headers();
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    headers.append(request.rawHeaders[index] ?? '', request.rawHeaders[index + 1] ?? '');
  }
  return new Request(env.appOrigin + request.originalUrl, { method: request.method ?? 'GET', headers });
}

/** Remix, with a handler for each route. */
function remix(services: Services, build: ServerBuild): RequestHandler {
  const create = (routeId: string | null) =>
    createRequestHandler({
      build: buildOfRoute(build, routeId),
      mode: import.meta.env.MODE,
      getLoadContext(_request, response) {
        const { context } = response.locals as Locals;
        if (!context) throw new Error(`No request context for ${services.buildId}`);
        return context;
      },
    });
  const handlers = new Map<string | null, ReturnType<typeof create>>();
  return (request, response, next) => {
    const { routeId = null } = response.locals as Locals;
    const handle = handlers.get(routeId) ?? create(routeId);
    handlers.set(routeId, handle);
    void handle(request, response, next);
  };
}

/** What none of the above expected. */
function lastResort(services: Services): ErrorRequestHandler {
  return (error, _request, response, next) => {
    services.log.error({ err: error, requestId: response.locals.requestId }, 'a request failed');
    if (response.headersSent) next(error);
    else refuse(response, { status: 500, code: 'InternalError' }, services);
  };
}

async function startCounting(address: NonNullable<Env['metrics']>): Promise<{ metrics: Metrics }> {
  const { metrics, registry } = await createMetrics();
  await listenForMetrics(registry, address);
  return { metrics };
}

/**
 * While pages are rendered, requests live for long, and V8 takes what each of them is made of for things that stay: it
 * makes the next ones where only a full collection looks, and with them stays all that they hold. A call of the data
 * API then costs a seventh more, until the process ends.
 */
const NOTHING_STAYS = '--no-allocation-site-pretenuring';

async function start(): Promise<void> {
  setFlagsFromString(NOTHING_STAYS);
  const env = parseEnv();
  const log = createLog(env.logLevel);
  const build = await import('virtual:remix/server-build');
  const counting = env.metrics ? await startCounting(env.metrics) : {};
  const services = createServices(env, log, {
    buildId: build.assets.version,
    publicDirectory: CLIENT_DIRECTORY,
    ...counting,
  });
  await keepBuild({
    buildId: services.buildId,
    assets: `${CLIENT_DIRECTORY}/assets`,
    ...env.builds,
    now: Date.now(),
    log,
  });
  const server = createSiteServer(services);
  const app = createApp(services, build, endInOrder(server, log));
  const pages = createAnonymousPages(services, build);
  const endpoint = createGraphqlEndpoint(services, (request) =>
    proxyAddr(request, app.get('trust proxy fn')),
  );
  server.on('request', (request, response) =>
    pages(request, response, () => endpoint(request, response, () => app(request, response))),
  );
  server.listen({ port: env.port, backlog: WAITING_CONNECTIONS }, () =>
    log.info({ origin: env.appOrigin, port: env.port, buildId: services.buildId }, 'listening'),
  );
}

/** Answers Vite's requests in development; a change to any server module makes a new one. */
export const developmentHandler: RequestHandler = async (request, response, next) => {
  developmentApp ??= createDevelopmentApp();
  (await developmentApp)(request, response, next);
};

let developmentApp: Promise<Express> | undefined;

async function createDevelopmentApp(): Promise<Express> {
  const env = parseEnv();
  const build = await import('virtual:remix/server-build');
  const services = createServices(env, createLog(env.logLevel), {
    buildId: build.assets.version,
    publicDirectory: 'public',
  });
  return createApp(services, build, { isDraining: () => false });
}

if (import.meta.env.PROD) {
  start().catch((error: unknown) => {
    process.stderr.write(error instanceof EnvError ? `${error.message}\n` : `${String(error)}\n`);
    process.exit(1);
  });
}
