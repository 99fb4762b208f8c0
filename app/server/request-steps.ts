/** Every request passes these steps in this order, in production and in development. The first response ends it. */
import { randomUUID } from 'node:crypto';
import { type AppLoadContext, createRequestHandler, type ServerBuild } from '@remix-run/node';
import proxyAddr from 'proxy-addr';
import { locales } from '../i18n/locales.ts';
import { pathOf, routeIdOf } from '../i18n/localized-page.ts';
import { pages } from '../pages.ts';
import { createBuildData } from './builds/build-data.ts';
import { createResponseCookies } from './cookies/cookie-jar.ts';
import { GRAPHQL_ROUTE, rejectOperation } from './graphql-proxy/graphql-proxy.ts';
import { createGraphqlStep } from './graphql-proxy/graphql-step.ts';
import { rejectRequest } from './http/error-response.ts';
import type { Exchange, Step } from './http/exchange.ts';
import type { Shutdown } from './http/graceful-shutdown.ts';
import { createHealthChecks } from './http/health.ts';
import { filterRequest } from './http/request-filter.ts';
import { POLICY_REPORTS_PATH } from './http/response-head.ts';
import { createStaticFiles } from './http/static-files.ts';
import { createPageCache, type PageCacheOptions } from './page-cache/page-cache.ts';
import { createPolicyReportsStep } from './policy-reports/policy-reports-step.ts';
import { createCanonicalAddress } from './preferences/canonical-address.ts';
import { THEME_COOKIE } from './preferences/preferences.ts';
import { createRateLimiter, createRateLimitStep } from './rate-limit/rate-limiter.ts';
import { createRemixStep } from './rendering/remix-step.ts';
import { createRouteFinder } from './rendering/route-finder.ts';
import { openRequestContext, type Services } from './request-context.ts';

export type StepOptions = {
  build: ServerBuild;
  shutdown: Shutdown;
  /** What the build made for browsers. Null in development: Vite serves files, and no page is cached. */
  clientDirectory: string | null;
};

/** Creates the steps that every request passes, in this order. */
export function createRequestSteps(services: Services, options: StepOptions): Step<AppLoadContext>[] {
  const { build, shutdown } = options;
  return [
    createHealthChecks(shutdown),
    createRequestFilter(services),
    createRedirects(services),
    ...createCachedResponses(services, options),
    createBuildFiles(services),
    createRouteMatch(build),
    createRateLimits(services),
    ...createEndpoints(services),
    createRemix(services, build),
  ];
}

function createRequestFilter(services: Services): Step {
  return (exchange) => {
    const rejection = filterRequest(exchange, services.env.appOrigin);
    return rejection && rejectRequest(services, exchange, rejection);
  };
}

/** Redirects to canonical addresses. A redirect carries the cookie of a refreshed session too. */
function createRedirects({ env }: Services): Step<AppLoadContext> {
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

/** Cached anonymous pages and static files. None in development, where Vite serves the files. */
function createCachedResponses(services: Services, { build, clientDirectory }: StepOptions): Step[] {
  if (clientDirectory === null) return [];
  const buildsDirectory = services.env.builds.directory;
  return [createAnonymousPages(services, build), createStaticFiles({ clientDirectory, buildsDirectory })];
}

function createBuildFiles({ buildId, translations }: Services): Step {
  return createBuildData({ id: buildId, timestamp: import.meta.env.BUILT_AT }, translations);
}

/** Reports are counted by address, for signed-in visitors too, so that no session is opened. */
const ANONYMOUS = { state: 'anonymous' } as const;

/** Addresses that respond without Remix, whose work would cost several times as much as the response. */
function createEndpoints(services: Services): Step<AppLoadContext>[] {
  const limit = createRateLimiter(services);
  const addressOf = createAddressFinder(services);
  const policyReports = createPolicyReportsStep({
    reports: services.policyReports,
    limit: (exchange) => limit(POLICY_REPORTS_PATH.slice(1), ANONYMOUS, addressOf(exchange)),
    reject: (exchange, rejection) => rejectRequest(services, exchange, rejection),
  });
  return [policyReports, createGraphqlStep()];
}

function createRemix(services: Services, build: ServerBuild): Step<AppLoadContext> {
  return createRemixStep({
    build,
    appOrigin: services.env.appOrigin,
    reject: (exchange, rejection) => rejectRequest(services, exchange, rejection),
  });
}

/** Notes the route of a request, for the rate limit, the log and the metrics. */
function createRouteMatch(build: ServerBuild): Step {
  const findRoute = createRouteFinder(build.routes);
  return (exchange) => {
    exchange.routeId = findRoute(exchange.path);
    return null;
  };
}

/** The network address of a visitor, by what trusted proxies say. */
function createAddressFinder({ env }: Services): (exchange: Exchange) => string {
  const isTrusted = (_address: string, hops: number) => hops < env.trustedProxies;
  return ({ request }) => proxyAddr(request, isTrusted);
}

function createRateLimits(services: Services): Step<AppLoadContext> {
  return createRateLimitStep<AppLoadContext>({
    limit: createRateLimiter(services),
    addressOf: createAddressFinder(services),
    reject: async (exchange, rejection) =>
      exchange.routeId === GRAPHQL_ROUTE
        ? rejectOperation(rejection, await exchange.context())
        : rejectRequest(services, exchange, rejection),
  });
}

/** Every page in every language, except pages with middleware, whose response may differ between visitors. */
function createAnonymousPages(services: Services, build: ServerBuild): Step {
  const cacheable = pages.filter(({ middleware = [] }) => middleware.length === 0);
  const routes = cacheable.flatMap((page) =>
    locales.map((locale) => [pathOf(page, locale), routeIdOf(page, locale)] as const),
  );
  const { env, log } = services;
  return createPageCache({
    env,
    log,
    pages: new Map(routes),
    render: createAnonymousRendering(services, build),
  });
}

/**
 * Renders a page with the usual routes and loaders, from a request whose only cookie is the theme and whose
 * `Accept-Language` is the language to offer.
 */
function createAnonymousRendering(services: Services, build: ServerBuild): PageCacheOptions['render'] {
  const handle = createRequestHandler(build, 'production');
  return async ({ path, theme, offer }) => {
    const request = new Request(services.env.appOrigin + path, {
      headers: { cookie: `${THEME_COOKIE}=${theme}`, ...(offer ? { 'accept-language': offer } : {}) },
    });
    const { headers, method } = request;
    const cookies = createResponseCookies();
    const source = { requestId: randomUUID(), nonce: null, method, path, headers, cookies };
    const response = await handle(request, await openRequestContext(services, source));
    for (const line of cookies.lines()) response.headers.append('set-cookie', line);
    return response;
  };
}
