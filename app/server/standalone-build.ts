/**
 * The build for any Remix server, such as `remix-serve build/server/index.js`: Remix's own build, with the site's
 * request context and policies added to its loaders and actions. server.ts does not use it, because its steps run
 * before Remix.
 */

import * as build from 'virtual:remix/server-build';
import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs, ServerBuild } from '@remix-run/node';
import { locales } from '../i18n/locales.ts';
import { payloadPathOf } from '../i18n/localized-page.ts';
import { pages } from '../pages.ts';
import { createBuildData } from './builds/build-data.ts';
import { errorResponse } from './http/error-response.ts';
import type { SiteResponse } from './http/exchange.ts';
import { methodNotAllowed } from './http/redirects.ts';
import { readWebBody } from './http/request-body.ts';
import { POLICY_REPORTS_PATH } from './observability/policy-reports-path.ts';
import { guardRoutes } from './rendering/guarded-routes.ts';
import { createStandaloneSite, type StandaloneRequest } from './standalone-site.ts';

export const { assets, assetsBuildDirectory, basename, future, isSpaMode, mode, publicPath } = build;

const { services, open } = createStandaloneSite(assets.version, assetsBuildDirectory);

/** Remix passes one load context to everything that handles a request, so that the request is opened once. */
const opened = new WeakMap<AppLoadContext, Promise<StandaloneRequest>>();

function openOnce(loadContext: AppLoadContext, request: Request): Promise<StandaloneRequest> {
  const known = opened.get(loadContext) ?? open(request);
  opened.set(loadContext, known);
  return known;
}

type Route = NonNullable<ServerBuild['routes'][string]>;
/**
 * A loader or an action. Remix's types differ only in the result, which is passed on unchanged: hence the casts below.
 */
type Handler = (args: LoaderFunctionArgs | ActionFunctionArgs) => unknown;

/** Runs a loader or action with the request's context, unless a policy responds instead. */
function withContext(route: Route, handle: Handler): (args: LoaderFunctionArgs) => Promise<unknown> {
  const isResource = !('default' in route.module);
  return async (args) => {
    const request = await openOnce(args.context, args.request);
    const instead = request.policyResponse ?? (await request.checkRateLimit(route.id));
    if (instead) throw request.complete(toWebResponse(instead, isResource));
    try {
      const result = await handle({ ...args, context: request.context });
      return result instanceof Response ? request.complete(result) : result;
    } catch (error) {
      throw error instanceof Response ? request.complete(error) : error;
    }
  };
}

/** A page's error page has its own text: only status and headers count. */
function toWebResponse({ status, headers, body }: SiteResponse, withBody: boolean): Response {
  const own = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const text = withBody && typeof body === 'string' ? body : null;
  return new Response(text, { status, headers: own });
}

function wrapRoute(route: Route): Route {
  const { loader, action } = route.module;
  return {
    ...route,
    module: {
      ...route.module,
      ...(loader ? { loader: withContext(route, loader as Handler) } : {}),
      ...(action ? { action: withContext(route, action as Handler) } : {}),
    },
  };
}

/** The steps that server.ts runs before Remix, as resource routes. */
function createOwnRoutes(): Record<string, Route> {
  const findBuildData = createBuildData({ ...services, builtAt: import.meta.env.BUILT_AT });
  const buildData = async ({ request, context }: LoaderFunctionArgs) => {
    const { pathname: path, search } = new URL(request.url);
    const found = findBuildData({ method: request.method, path, search, requestId: context.requestId });
    return found ? toWebResponse(found, true) : new Response('Not found\n', { status: 404 });
  };
  const payloads = pages.flatMap((page) => locales.map((locale) => payloadPathOf(page, locale).slice(1)));
  const own: Route[] = [
    ownRoute('healthz', () => new Response('ok\n')),
    ownRoute('readyz', () => new Response(READINESS_NEEDS_SERVER, { status: 501 })),
    ...['builds/*', ...payloads].map((path) => ownRoute(path, buildData)),
    ownRoute(POLICY_REPORTS_PATH.slice(1), () => methodNotAllowed('POST'), receivePolicyReport),
  ];
  return Object.fromEntries(own.map((route): [string, Route] => [route.id, wrapRoute(route)]));
}

const READINESS_NEEDS_SERVER =
  'Readiness is not supported by this server: it needs server.ts. Use /healthz.\n';

async function receivePolicyReport({ request, context }: ActionFunctionArgs): Promise<Response> {
  const { method, headers, body } = request;
  const rejection = await services.policyReports.receive({
    method,
    headers,
    readBody: (maxBytes) => readWebBody(body, maxBytes),
  });
  return rejection ? errorResponse(rejection, context.requestId) : new Response(null, { status: 204 });
}

function ownRoute(path: string, loader: Handler, action?: Handler): Route {
  const module = { loader, ...(action ? { action } : {}) } as Route['module'];
  return { id: path, parentId: 'root', path, caseSensitive: true, module };
}

export const routes: ServerBuild['routes'] = {
  ...Object.fromEntries(
    Object.entries(guardRoutes(build.routes)).flatMap(([id, route]) =>
      route ? [[id, wrapRoute(route)]] : [],
    ),
  ),
  ...createOwnRoutes(),
};

const entryModule = build.entry.module;

export const entry: ServerBuild['entry'] = {
  module: {
    ...entryModule,
    async default(request, status, headers, remixContext, loadContext) {
      const opened = await openOnce(loadContext, request);
      return opened.complete(
        await entryModule.default(request, status, headers, remixContext, opened.context),
      );
    },
    async handleDataRequest(response, { request, context }) {
      return (await openOnce(context, request)).complete(response);
    },
    handleError(error, args) {
      void openOnce(args.context, args.request).then(({ context }) =>
        entryModule.handleError?.(error, { ...args, context }),
      );
    },
  },
};
