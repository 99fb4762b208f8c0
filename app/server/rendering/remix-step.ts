/** The last step of the pipeline: Remix, which runs the routes' loaders and actions and renders documents. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import {
  type AppLoadContext,
  createRequestHandler,
  type RequestHandler,
  type ServerBuild,
} from '@remix-run/node';
import type { Env } from '../config/env.ts';
import { isEventStream } from '../http/event-streams.ts';
import type { Exchange, SiteResponse, Step } from '../http/exchange.ts';
import type { Rejection } from '../http/rejection.ts';
import type { RenderLimit } from '../http/render-limit.ts';
import { bodyLimitOf, concatChunks, isRejected } from '../http/request-body.ts';
import { addressBlock } from '../http/visitor-address.ts';
import { toAbortSignal } from '../resilience/call-signal.ts';
import { buildOfRoute } from './route-builds.ts';

export type RemixStepOptions = {
  build: ServerBuild;
  env: Pick<Env, 'appOrigin'>;
  addressOf: (request: IncomingMessage) => string;
  limitRendering: RenderLimit;
  reject: (exchange: Exchange, rejection: Rejection) => SiteResponse;
};

/**
 * Creates the step. Loaders and actions receive the exchange's context. A body is read completely before Remix runs, so
 * that no action handles a request whose end is malformed.
 */
export function createRemixStep(options: RemixStepOptions): Step<AppLoadContext> {
  const { build, env, addressOf, limitRendering, reject } = options;
  const handlers = new Map<string | null, RequestHandler>();
  const handlerOf = (routeId: string | null): RequestHandler => {
    const handler =
      handlers.get(routeId) ?? createRequestHandler(buildOfRoute(build, routeId), import.meta.env.MODE);
    handlers.set(routeId, handler);
    return handler;
  };
  /** Resource routes have no component, and cost a fraction of a page. */
  const isPage = (routeId: string | null) =>
    routeId === null || 'default' in (build.routes[routeId]?.module ?? {});

  return async (exchange) => {
    const context = await exchange.context();
    const { session } = context;
    const hasBody = exchange.method !== 'GET' && exchange.method !== 'HEAD';
    const limit = bodyLimitOf(exchange.routeId, session.state === 'signed-in');
    const body = hasBody ? await exchange.readBody(limit) : undefined;
    if (body && isRejected(body)) return reject(exchange, body);
    const respond = async () => {
      const request = toWebRequest(exchange, env.appOrigin, body);
      const response = await handlerOf(exchange.routeId)(request, context);
      // Every page shows the visitor's session and theme, and may offer another language.
      if (isHtml(response)) exchange.vary.push('Accept-Language', 'Cookie');
      return toSiteResponse(response);
    };
    if (!isPage(exchange.routeId)) return respond();
    const visitor = session.state === 'signed-in' ? session.id : addressBlock(addressOf(exchange.request));
    return limitRendering(exchange, visitor, respond);
  };
}

/** Returns the request as a web `Request` at the configured origin, whatever host its headers name. */
function toWebRequest(
  { request: { rawHeaders }, target, method, signal }: Exchange,
  appOrigin: string,
  body: Uint8Array | undefined,
): Request {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // Remix would use this header as the host, although any client can send it.
    if (name.toLowerCase() !== 'x-forwarded-host') headers.append(name, rawHeaders[index + 1] ?? '');
  }
  return new Request(appOrigin + target, {
    method,
    headers,
    signal: toAbortSignal(signal),
    ...(body ? { body: new Uint8Array(body) } : {}),
  });
}

function isHtml({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/html') ?? false;
}

const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml))/;

/** Reads texts completely, because that makes compression more effective. Other bodies and streams of events are passed on. */
async function toSiteResponse(response: Response): Promise<SiteResponse> {
  const { status, body } = response;
  const cookies = response.headers.getSetCookie();
  const headers: Record<string, string | string[]> = Object.fromEntries(response.headers);
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  if (!body) return { status, headers };
  const type = response.headers.get('content-type') ?? '';
  // Remix names no charset for the data of client-side navigation.
  if (/^text\/[\w-]+$/.test(type)) headers['content-type'] = `${type}; charset=utf-8`;
  if (TEXT.test(type) && !isEventStream(type)) {
    return { status, headers, body: await readAll(body) };
  }
  // DOM and Node declare the same class with different types.
  return { status, headers, body: Readable.fromWeb(body as NodeReadableStream) };
}

/** Reads a body. `Response.arrayBuffer` takes twice the CPU time for a short text. */
async function readAll(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const reader = body.getReader();
  for (let part = await reader.read(); part.value; part = await reader.read()) chunks.push(part.value);
  return concatChunks(chunks);
}
