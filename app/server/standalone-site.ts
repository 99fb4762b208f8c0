/**
 * The site without server.ts, under any Remix server. It creates the services from the environment, opens the request
 * context for each request, and applies the same policies as the steps of the pipeline.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { AppLoadContext } from '@remix-run/node';
import { parseEnv } from './config/env.ts';
import { createResponseCookies, type ResponseCookies } from './cookies/cookie-jar.ts';
import { isDocumentRequest } from './http/document-request.ts';
import { rejectRequest } from './http/error-response.ts';
import type { HeaderReader, SiteResponse } from './http/exchange.ts';
import { filterRequest } from './http/request-filter.ts';
import { ResponseHeads } from './http/response-head.ts';
import { createLog } from './observability/log.ts';
import { createRequestLog } from './observability/request-log.ts';
import { sessionHash } from './observability/session-hash.ts';
import { findCanonicalRedirect } from './preferences/canonical-address.ts';
import { createRateLimiter, tooManyRequests } from './rate-limit/rate-limiter.ts';
import { createServices, openRequestContext } from './request-context.ts';

/** A request that another Remix server received. */
export type StandaloneRequest = {
  context: AppLoadContext;
  /** The response of a policy, sent instead of the route's; null when the route may run. */
  policyResponse: SiteResponse | null;
  /**
   * Counts the request. Resolves to a 429 response when the visitor has exceeded the route's rate limit, else to null.
   */
  checkRateLimit(routeId: string): Promise<SiteResponse | null>;
  /** Adds what every response of the site has: security headers, the request id and cookies. Logs the request. */
  complete(response: Response): Response;
};

/** Creates the services and the function that opens a request. Throws an `EnvError` for a bad environment. */
export function createStandaloneSite(buildId: string, publicDirectory: string) {
  const env = parseEnv();
  const services = createServices(env, createLog(env.logLevel), { buildId, publicDirectory });
  const limit = createRateLimiter(services);
  const heads = new ResponseHeads(env);
  const logRequest = createRequestLog(services);
  /** The request filter and the canonical address, in the order of the pipeline. */
  const findPolicyResponse = async (source: Source): Promise<SiteResponse | null> => {
    const rejection = filterRequest(source, env.appOrigin);
    return rejection ? rejectRequest(services, source, rejection) : findCanonicalRedirect(source, env);
  };

  const open = async (request: Request): Promise<StandaloneRequest> => {
    const source: Source = { ...describeRequest(request), rejection: null };
    const { headers } = source;
    const policyResponse = await findPolicyResponse(source);
    const opened = await openRequestContext(services, source);
    const { session } = opened;
    const hash = session.state === 'signed-in' ? sessionHash(session.id) : null;
    let isLogged = false;
    return {
      context: { ...opened, isDataRequest: !isDocumentRequest(headers) },
      policyResponse,
      async checkRateLimit(routeId) {
        const rejection = tooManyRequests(
          await limit(routeId, session, addressOf(headers, env.trustedProxies)),
        );
        return rejection && rejectRequest(services, source, rejection);
      },
      complete(response) {
        const { status, statusText, body, headers } = response;
        const own = { ...Object.fromEntries(headers), 'set-cookie': headers.getSetCookie() };
        // A redirect for client-side navigation is completed twice: as the route's response, and in Remix's data format.
        if (!isLogged) logRequest({ ...source, routeId: null, sessionHash: hash }, status);
        isLogged = true;
        const head = heads.complete(source, heads.fix(status, own));
        return new Response(body, { status, statusText, headers: toHeaders(head) });
      },
    };
  };
  return { services, open };
}

type Source = ReturnType<typeof describeRequest> & { rejection: string | null };

/** The parts of a web `Request` that the steps of the pipeline read from an `Exchange`. */
function describeRequest(request: Request) {
  const { pathname, search } = new URL(request.url);
  const cookies: ResponseCookies = createResponseCookies();
  const vary: string[] = [];
  return {
    requestId: randomUUID(),
    nonce: randomBytes(16).toString('base64url'),
    startedAt: performance.now(),
    method: request.method,
    path: pathname,
    search,
    target: pathname + search,
    headers: request.headers,
    signal: request.signal,
    cookies,
    vary,
  };
}

/**
 * The visitor's address in the header of trusted proxies. A web `Request` does not contain the address of its
 * connection, so without a trusted proxy all visitors without a session share one rate limit.
 */
function addressOf(headers: HeaderReader, trustedProxies: number): string {
  const stated = headers.get('x-forwarded-for')?.split(',') ?? [];
  const address = trustedProxies === 0 ? undefined : (stated.at(-trustedProxies) ?? stated[0]);
  return address?.trim() ?? 'unknown';
}

function toHeaders(head: readonly (string | readonly string[])[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < head.length; index += 2) {
    for (const value of [head[index + 1] ?? ''].flat()) headers.append(String(head[index]), value);
  }
  return headers;
}
