/** The last step of the pipeline: Remix, which runs the routes' loaders and actions and renders documents. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { AppLoadContext, RequestHandler, ServerBuild } from '@remix-run/node';
import {
  addressBlock,
  type Exchange,
  isEventStream,
  isRejected,
  type Rejection,
  type SiteResponse,
  type Step,
} from '@tenfold/site-server';
import type { Env } from '../config/env.ts';
import type { RenderLimit } from '../rate-limit/render-limit.ts';
import type { BodyLimits } from './body-limits.ts';

export type RemixStepOptions = {
  build: Pick<ServerBuild, 'routes'>;
  renderPage: RequestHandler;
  env: Pick<Env, 'appOrigin'>;
  bodyLimits: BodyLimits;
  addressOf: (request: IncomingMessage) => string;
  limitRendering: RenderLimit;
  reject: (exchange: Exchange, rejection: Rejection) => SiteResponse;
};

/**
 * Creates the step. Loaders and actions receive the exchange's context. A body is read completely before Remix runs, so
 * that no action handles a request whose end is malformed.
 */
export function createRemixStep(options: RemixStepOptions): Step<AppLoadContext> {
  const { build, renderPage, env, bodyLimits, addressOf, limitRendering, reject } = options;
  /** Resource routes have no component, and cost a fraction of a page. */
  const isPage = (routeId: string | null) =>
    routeId === null || 'default' in (build.routes[routeId]?.module ?? {});

  return async (exchange) => {
    const context = await exchange.context();
    const { session } = context;
    const hasBody = exchange.method !== 'GET' && exchange.method !== 'HEAD';
    const limit = bodyLimits.of(exchange.routeId, session.state === 'signed-in');
    const body = hasBody ? await exchange.readBody(limit) : undefined;
    if (body && isRejected(body)) return reject(exchange, body);
    const respond = async () => {
      const request = toWebRequest(exchange, env.appOrigin, body);
      const response = await renderPage(request, context);
      // Every page shows the visitor's session and theme, and may offer another language.
      if (isHtml(response)) exchange.vary.push('Accept-Language', 'Cookie');
      return toSiteResponse(response);
    };
    if (!isPage(exchange.routeId)) return respond();
    // An account may be signed in any number of times.
    const visitor =
      session.state === 'signed-in' ? session.user.sub : addressBlock(addressOf(exchange.request));
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
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  // Remix compares the origin with these headers. The request filter has checked both, and any client can send the first.
  headers.delete('x-forwarded-host');
  headers.set('host', new URL(appOrigin).host);
  if (headers.get('origin') === 'null') headers.delete('origin');
  return new Request(appOrigin + target, {
    method,
    headers,
    signal: signal,
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
    return { status, headers, body: new Uint8Array(await response.arrayBuffer()) };
  }
  // DOM and Node declare the same class with different types.
  return { status, headers, body: Readable.fromWeb(body as NodeReadableStream) };
}
