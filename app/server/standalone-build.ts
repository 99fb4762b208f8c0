/**
 * The build for any Remix server, such as `remix-serve build/server/index.js`. server.ts does not use it: its steps run
 * before Remix. Here each route opens the context of its request, and applies the policies of those steps.
 */

import * as build from 'virtual:remix/server-build';
import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs, ServerBuild } from '@remix-run/node';
import { isDocumentRequest, sessionHash } from '@tenfold/cognito-session';
import {
  addressBlock,
  createHeads,
  createLog,
  createRequestLog,
  filterRequest,
  type HeaderReader,
  parseStatedAddress,
  type SiteResponse,
} from '@tenfold/site-server';
import { locales } from '../i18n/locales.ts';
import { payloadPathOf } from '../i18n/localized-page.ts';
import { pages } from '../pages.ts';
import { createBuildData } from './builds/build-data.ts';
import { parseEnv } from './config/env.ts';
import { rejectRequest } from './errors/error-response.ts';
import { findCanonicalRedirect } from './preferences/canonical-address.ts';
import { rejectUncounted } from './rate-limit/rate-limit.ts';
import { createRateLimiter, idOf, tooManyRequests } from './rate-limit/rate-limiter.ts';
import { guardRoutes } from './rendering/guarded-routes.ts';
import { createServices, openRequestContext, sourceOf } from './request-context.ts';
import { serverRulesOf } from './server-rules.ts';

export const { assets, assetsBuildDirectory, basename, future, isSpaMode, mode, publicPath } = build;

const env = parseEnv();
const services = createServices(env, createLog(env.logLevel), {
  buildId: assets.version,
  publicDirectory: assetsBuildDirectory,
});
const limitRate = createRateLimiter(services);
const rules = serverRulesOf(env);
const completeHead = createHeads(rules);
const logRequest = createRequestLog({ ...services, rules });

type Route = NonNullable<ServerBuild['routes'][string]>;
type HandlerArgs = LoaderFunctionArgs | ActionFunctionArgs;
/** A loader or an action. Remix's types differ only in the result, which is passed on unchanged: hence the casts below. */
type Handler = (args: HandlerArgs) => unknown;

/** Remix passes one load context to everything that handles a request, so that the request is opened once. */
const opened = new WeakMap<AppLoadContext, ReturnType<typeof open>>();

function openOnce({ request, context }: Pick<HandlerArgs, 'request' | 'context'>) {
  const known = opened.get(context) ?? open(request);
  opened.set(context, known);
  return known;
}

async function open(request: Request) {
  const { headers } = request;
  const vary: string[] = [];
  const rejection: string | null = null;
  const source = { ...sourceOf(request), startedAt: performance.now(), vary, rejection };
  const address = addressOf(headers);
  const rejected = filterRequest(source, rules);
  const policyResponse = rejected
    ? rejectRequest(services, source, rejected)
    : await findCanonicalRedirect(source, services);
  const context = await openRequestContext(services, source, () => addressBlock(address));
  const { session } = context;
  const hash = session.state === 'signed-in' ? sessionHash(session.id) : null;
  let isLogged = false;
  return {
    context: { ...context, isDataRequest: !isDocumentRequest(headers) },
    /** The response of a policy, which is sent instead of the route's, or null. */
    async respondInstead(routeId: string): Promise<SiteResponse | null> {
      if (policyResponse) return policyResponse;
      const limited =
        rejectUncounted(routeId, source) ?? tooManyRequests(await limitRate(routeId, idOf(session), address));
      return limited && rejectRequest(services, source, limited);
    },
    /** Adds what every response of the site has: security headers, the request id and cookies. Logs the request. */
    complete({ status, statusText, body, headers: own }: Response): Response {
      // A redirect for client-side navigation is completed twice: as the route's response, and in Remix's data format.
      if (!isLogged) logRequest({ ...source, routeId: null, sessionHash: hash }, status);
      isLogged = true;
      const ownHeaders = { ...Object.fromEntries(own), 'set-cookie': own.getSetCookie() };
      const head = Object.entries(completeHead(source, status, ownHeaders));
      const lines = head.flatMap(([name, value]) =>
        [value].flat().map((line): [string, string] => [name, line]),
      );
      return new Response(body, { status, statusText, headers: lines });
    },
  };
}

/**
 * The visitor's address in the header of trusted proxies. A web `Request` does not contain the address of its
 * connection, so without a trusted proxy all visitors without a session share one rate limit.
 */
function addressOf(headers: HeaderReader): string {
  if (env.trustedProxies === 0) return 'unknown';
  const stated = headers.get('x-forwarded-for')?.split(',') ?? [];
  return parseStatedAddress(stated.at(-env.trustedProxies) ?? stated[0] ?? '') ?? 'unknown';
}

/** Runs a loader or action with the context of its request, unless a policy responds instead. */
function withContext(route: Route, handle: Handler): (args: LoaderFunctionArgs) => Promise<unknown> {
  const isResource = !('default' in route.module);
  return async (args) => {
    const { context, respondInstead, complete } = await openOnce(args);
    const instead = await respondInstead(route.id);
    if (instead) throw complete(toWebResponse(instead, isResource));
    try {
      const result = await handle({ ...args, context });
      return result instanceof Response ? complete(result) : result;
    } catch (error) {
      throw error instanceof Response ? complete(error) : error;
    }
  };
}

/** A page's error page has its own text: only status and headers count. */
function toWebResponse({ status, headers, body }: SiteResponse, withBody: boolean): Response {
  const own = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Response(withBody && typeof body === 'string' ? body : null, { status, headers: own });
}

function wrapRoute(route: Route): Route {
  const { loader, action } = route.module;
  const module = {
    ...route.module,
    ...(loader ? { loader: withContext(route, loader as Handler) } : {}),
    ...(action ? { action: withContext(route, action as Handler) } : {}),
  };
  return { ...route, module };
}

/** The steps that server.ts runs before Remix, as resource routes. */
function ownRoutes(): Route[] {
  const findBuildData = createBuildData({ ...services, builtAt: import.meta.env.BUILT_AT });
  const buildData: Handler = ({ request, context }) => {
    const found = findBuildData({ ...sourceOf(request), requestId: context.requestId });
    return found ? toWebResponse(found, true) : new Response('Not found\n', { status: 404 });
  };
  const notReady = 'Readiness is not supported by this server: it needs server.ts. Use /healthz.\n';
  const payloads = pages.flatMap((page) => locales.map((locale) => payloadPathOf(page, locale).slice(1)));
  return [
    ownRoute('healthz', () => new Response('ok\n')),
    ownRoute('readyz', () => new Response(notReady, { status: 501 })),
    ...['builds/*', ...payloads].map((path) => ownRoute(path, buildData)),
  ];
}

function ownRoute(path: string, loader: Handler): Route {
  return { id: path, parentId: 'root', path, caseSensitive: true, module: { loader } as Route['module'] };
}

const guarded = Object.values(guardRoutes(build.routes)).filter((route) => route !== undefined);

export const routes: ServerBuild['routes'] = Object.fromEntries(
  [...guarded, ...ownRoutes()].map((route) => [route.id, wrapRoute(route)]),
);

const entryModule = build.entry.module;

export const entry: ServerBuild['entry'] = {
  module: {
    ...entryModule,
    async default(request, status, headers, remixContext, loadContext) {
      const { context, complete } = await openOnce({ request, context: loadContext });
      return complete(await entryModule.default(request, status, headers, remixContext, context));
    },
    async handleDataRequest(response, args) {
      return (await openOnce(args)).complete(response);
    },
    handleError(error, args) {
      void openOnce(args).then(({ context }) => entryModule.handleError?.(error, { ...args, context }));
    },
  },
};
