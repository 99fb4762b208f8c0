/** What the steps of the pipeline are made of. */
import { randomUUID } from 'node:crypto';
import { createRequestHandler, type ServerBuild } from '@remix-run/node';
import { THEME_COOKIE } from '../theme/theme.ts';
import { createResponseCookies } from './cookies/cookie-jar.ts';
import { rejectRequest } from './http/error-response.ts';
import type { EventStreams } from './http/event-streams.ts';
import type { Exchange } from './http/exchange.ts';
import type { Shutdown } from './http/graceful-shutdown.ts';
import type { Rejection } from './http/rejection.ts';
import { createRenderLimit } from './http/render-limit.ts';
import type { ResponseHeads } from './http/response-head.ts';
import { createAddressFinder } from './http/visitor-address.ts';
import type { PageCacheOptions } from './page-cache/page-cache.ts';
import { findCacheablePages } from './page-cache/page-cache-key.ts';
import { createRateLimiter } from './rate-limit/rate-limiter.ts';
import { guardRoutes } from './rendering/guarded-routes.ts';
import { openRequestContext, type Services } from './request-context.ts';

export type SiteOptions = {
  build: ServerBuild;
  shutdown: Shutdown;
  eventStreams: EventStreams;
  /** What the build made for browsers. Null in development: Vite serves files, and no page is cached. */
  clientDirectory: string | null;
};

export type StepParts = ReturnType<typeof createStepParts>;

/** The services, the build with the rules of its pages, the limits, and how to reject. */
export function createStepParts(services: Services, heads: ResponseHeads, options: SiteOptions) {
  const { env, metrics } = services;
  const build: ServerBuild = { ...options.build, routes: guardRoutes(options.build.routes) };
  const reject = (exchange: Exchange, rejection: Rejection) => rejectRequest(services, exchange, rejection);
  return {
    ...services,
    ...options,
    heads,
    build,
    builtAt: import.meta.env.BUILT_AT,
    reject,
    addressOf: createAddressFinder(env.trustedProxies),
    limitRate: createRateLimiter(services),
    limitRendering: createRenderLimit({ metrics, reject }),
    cacheablePages: options.clientDirectory === null ? new Map<string, string>() : findCacheablePages(),
    renderAnonymously: createAnonymousRendering(services, build),
  };
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
    const { headers, method, signal } = request;
    const cookies = createResponseCookies();
    const source = {
      requestId: randomUUID(),
      nonce: null,
      method,
      path,
      target: path,
      headers,
      signal,
      cookies,
    };
    const response = await handle(request, await openRequestContext(services, source));
    for (const line of cookies.lines()) response.headers.append('set-cookie', line);
    return response;
  };
}
