/** The last step of the pipeline: Remix, which runs the routes' loaders and actions and renders documents. */
import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import {
  type AppLoadContext,
  createReadableStreamFromReadable,
  createRequestHandler,
  type ServerBuild,
} from '@remix-run/node';
import type { Exchange, SiteResponse, Step } from '../http/exchange.ts';

/** Creates the step. Loaders and actions receive the exchange's context. */
export function createRemixStep(build: ServerBuild, appOrigin: string): Step<AppLoadContext> {
  const handle = createRequestHandler(build, import.meta.env.MODE);
  return async (exchange) => {
    const context = await exchange.context();
    const response = await handle(toWebRequest(exchange, appOrigin), context);
    return toSiteResponse(response);
  };
}

/** Returns the request as the web platform's class, at the configured origin: no header can move the site elsewhere. */
export function toWebRequest({ request, target, method, signal }: Exchange, appOrigin: string): Request {
  const headers = new Headers();
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? '';
    // Remix would take this header for the host, whoever sent it.
    if (name.toLowerCase() !== 'x-forwarded-host') headers.append(name, request.rawHeaders[index + 1] ?? '');
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(appOrigin + target, {
    method,
    headers,
    signal,
    ...(hasBody ? { body: createReadableStreamFromReadable(request), duplex: 'half' } : {}),
  });
}

const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml))/;

/** Texts are read completely, so that they can be compressed as one; anything else is streamed. */
async function toSiteResponse(response: Response): Promise<SiteResponse> {
  const { status, body } = response;
  const cookies = response.headers.getSetCookie();
  const headers: Record<string, string | string[]> = Object.fromEntries(response.headers);
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  if (!body) return { status, headers };
  const type = response.headers.get('content-type') ?? '';
  // Remix names no charset for the data of client-side navigation.
  if (/^text\/[\w-]+$/.test(type)) headers['content-type'] = `${type}; charset=utf-8`;
  if (TEXT.test(type)) {
    return { status, headers, body: Buffer.from(await response.arrayBuffer()) };
  }
  return { status, headers, body: Readable.fromWeb(body as NodeReadableStream) };
}
