/** What the steps of the pipeline are made of. */
import { createRequestHandler, type ServerBuild } from '@remix-run/node';
import { createAddressFinder, type Lifecycle, type Reject } from '@tenfold/site-server';
import { pages } from '../pages.ts';
import { rejectRequest } from './errors/error-response.ts';
import { canonicalRequest } from './page-cache/canonical-request.ts';
import { createCacheablePages, type PageCacheKey } from './page-cache/page-cache-key.ts';
import { createRateLimiter } from './rate-limit/rate-limiter.ts';
import { createRenderLimit } from './rate-limit/render-limit.ts';
import { createBodyLimits } from './rendering/body-limits.ts';
import { guardRoutes } from './rendering/guarded-routes.ts';
import { openRequestContext, type Services, sourceOf } from './request-context.ts';
import { serverRulesOf } from './server-rules.ts';

export type SiteOptions = {
  build: ServerBuild;
  lifecycle: Lifecycle;
  /** What the build made for browsers. Null in development: Vite serves files, and no page is cached. */
  clientDirectory: string | null;
};

export type StepParts = ReturnType<typeof createStepParts>;

/** The services, the build with the rules of its pages, the renderer, the limits, and how to reject. */
export function createStepParts(services: Services, options: SiteOptions) {
  const { env, metrics } = services;
  const build: ServerBuild = { ...options.build, routes: guardRoutes(options.build.routes) };
  const renderPage = createRequestHandler(build, import.meta.env.MODE);
  const renderAnonymously = async (key: PageCacheKey): Promise<Response> => {
    const request = canonicalRequest(key, env.appOrigin);
    const source = sourceOf(request);
    const response = await renderPage(request, await openRequestContext(services, source));
    for (const line of source.cookies.lines()) response.headers.append('set-cookie', line);
    return response;
  };
  const reject: Reject = (request, rejection) => rejectRequest(services, request, rejection);
  return {
    ...services,
    ...options,
    ...options.lifecycle,
    rules: serverRulesOf(env),
    buildsDirectory: env.builds.directory,
    build,
    builtAt: import.meta.env.BUILT_AT,
    reject,
    bodyLimits: createBodyLimits(),
    addressOf: createAddressFinder(env.trustedProxies),
    limitRate: createRateLimiter(services),
    limitRendering: createRenderLimit({ metrics, reject }),
    cacheablePages: createCacheablePages(options.clientDirectory === null ? [] : pages),
    renderPage,
    renderAnonymously,
  };
}
