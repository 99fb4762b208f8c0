/** Every request passes these steps in this order, in production and in development. The first response ends it. */
import { randomUUID } from 'node:crypto';
import { type AppLoadContext, createRequestHandler, type ServerBuild } from '@remix-run/node';
import { locales } from '../i18n/locales.ts';
import { pathOf, routeIdOf } from '../i18n/localized-page.ts';
import { pages } from '../pages.ts';
import { createBuildData } from './builds/build-data.ts';
import { createResponseCookies } from './cookies/cookie-jar.ts';
import { GRAPHQL_ROUTE, rejectOperation } from './graphql-proxy/graphql-proxy.ts';
import { createGraphqlStep } from './graphql-proxy/graphql-step.ts';
import { rejectRequest } from './http/error-response.ts';
import type { EventStreams } from './http/event-streams.ts';
import type { Exchange, Step } from './http/exchange.ts';
import type { Shutdown } from './http/graceful-shutdown.ts';
import { createHealthChecks } from './http/health.ts';
import { createPendingLimit } from './http/pending-requests.ts';
import type { Rejection } from './http/rejection.ts';
import { createRenderLimit } from './http/render-limit.ts';
import { filterRequest } from './http/request-filter.ts';
import { createStaticFiles } from './http/static-files.ts';
import { createAddressFinder } from './http/visitor-address.ts';
import { createPageCache, type PageCacheOptions } from './page-cache/page-cache.ts';
import { createPolicyReportsStep } from './policy-reports/policy-reports-step.ts';
import { createCanonicalAddress } from './preferences/canonical-address.ts';
import { THEME_COOKIE } from './preferences/preferences.ts';
import { createRateLimiter, createRateLimitStep } from './rate-limit/rate-limiter.ts';
import { guardRoutes } from './rendering/guarded-routes.ts';
import { createRemixStep } from './rendering/remix-step.ts';
import { createRouteFinder } from './rendering/route-finder.ts';
import { openRequestContext, type Services } from './request-context.ts';

export type StepOptions = {
  build: ServerBuild;
  shutdown: Shutdown;
  eventStreams: EventStreams;
  /** What the build made for browsers. Null in development: Vite serves files, and no page is cached. */
  clientDirectory: string | null;
};

/** Creates the steps that every request passes, in this order. */
export function createRequestSteps(services: Services, options: StepOptions): Step<AppLoadContext>[] {
  const parts = createStepParts(services, options);
  return [
    createHealthChecks(parts),
    createPendingLimit(parts),
    createRequestFilter(parts),
    createRedirects(parts),
    createPageCache(parts),
    createStaticFiles(parts),
    createBuildFiles(parts),
    createRouteMatch(parts),
    createRateLimitStep(parts),
    createPolicyReportsStep(parts),
    createGraphqlStep(),
    createRemixStep(parts),
  ];
}

type StepParts = ReturnType<typeof createStepParts>;

/** What the steps are made of: the services, the build with the rules of its pages, the limits, and how to reject. */
function createStepParts(services: Services, options: StepOptions) {
  const { env, metrics } = services;
  const build: ServerBuild = { ...options.build, routes: guardRoutes(options.build.routes) };
  const reject = (exchange: Exchange, rejection: Rejection) => rejectRequest(services, exchange, rejection);
  return {
    ...services,
    ...options,
    build,
    reject,
    addressOf: createAddressFinder(env.trustedProxies),
    limitRate: createRateLimiter(services),
    rejectBeyondRate: async (exchange: Exchange<AppLoadContext>, rejection: Rejection) =>
      exchange.routeId === GRAPHQL_ROUTE
        ? rejectOperation(rejection, await exchange.context())
        : reject(exchange, rejection),
    limitRendering: createRenderLimit({ metrics, reject }),
    cacheablePages: options.clientDirectory === null ? new Map<string, string>() : findCacheablePages(),
    renderAnonymously: createAnonymousRendering(services, build),
  };
}

function createRequestFilter({ env, reject }: StepParts): Step {
  return (exchange) => {
    const rejection = filterRequest(exchange, env.appOrigin);
    return rejection && reject(exchange, rejection);
  };
}

/** Redirects to canonical addresses. A redirect carries the cookie of a refreshed session too. */
function createRedirects({ env }: StepParts): Step<AppLoadContext> {
  const findRedirect = createCanonicalAddress(env);
  const withSession = async (exchange: Exchange<AppLoadContext>, found: ReturnType<typeof findRedirect>) => {
    const redirect = await found;
    if (redirect) await exchange.context();
    return redirect;
  };
  return (exchange) => {
    const found = findRedirect(exchange);
    return found && withSession(exchange, found);
  };
}

function createBuildFiles({ buildId, translations }: StepParts): Step {
  return createBuildData({ id: buildId, timestamp: import.meta.env.BUILT_AT }, translations);
}

/** Notes the route of a request, for the limits, the log and the metrics. */
function createRouteMatch({ build }: StepParts): Step {
  const findRoute = createRouteFinder(build.routes);
  return (exchange) => {
    exchange.routeId = findRoute(exchange.path);
    return null;
  };
}

/**
 * Path to route id of every page in every language, except pages with middleware, whose response may differ between
 * visitors.
 */
function findCacheablePages(): ReadonlyMap<string, string> {
  const cacheable = pages.filter(({ middleware = [] }) => middleware.length === 0);
  return new Map(
    cacheable.flatMap((page) => locales.map((locale) => [pathOf(page, locale), routeIdOf(page, locale)])),
  );
}

/**
 * Renders a page with the usual routes and loaders, from a request whose only cookie is the theme and whose
 * `Accept-Language` is the language to offer.
 */
function createAnonymousRendering(
  services: Services,
  build: ServerBuild,
): PageCacheOptions['renderAnonymously'] {
  const handle = createRequestHandler(build, 'production');
  return async ({ path, theme, offer }) => {
    const request = new Request(services.env.appOrigin + path, {
      headers: { cookie: `${THEME_COOKIE}=${theme}`, ...(offer ? { 'accept-language': offer } : {}) },
    });
    const { headers, method } = request;
    const cookies = createResponseCookies();
    const source = { requestId: randomUUID(), nonce: null, method, path, target: path, headers, cookies };
    const response = await handle(request, await openRequestContext(services, source));
    for (const line of cookies.lines()) response.headers.append('set-cookie', line);
    return response;
  };
}
