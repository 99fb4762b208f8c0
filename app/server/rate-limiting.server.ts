/** Where requests meet their rate limits: after the session is open, since a visitor is known by that first. */
import type { Request, RequestHandler, Response } from 'express';
import { rateLimitKey, rateLimitOf } from './rate-limit.server.ts';
import type { Services } from './request-context.server.ts';
import type { Locals } from './response-head.server.ts';

type Refuse = (
  response: Response,
  refusal: { status: number; code: string; headers?: Record<string, string> },
) => void;

const CODE = 'TooManyRequests';
/** Its answers have GraphQL's shape, refusals too. */
const GRAPHQL_ROUTE = 'api/graphql';

/** Answers 429 with `Retry-After` (RFC 6585 section 4) to whoever asks too often; `refuse` writes what is not GraphQL. */
export function limitRequestRate(
  { store, env, metrics }: Pick<Services, 'store' | 'env' | 'metrics'>,
  refuse: Refuse,
): RequestHandler {
  return async (request, response, next) => {
    try {
      const retryAfterMs = await judge(request, response.locals as Locals);
      if (retryAfterMs === 0) return next();
      const headers = { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
      const { routeId, requestId } = response.locals as Locals;
      if (routeId !== GRAPHQL_ROUTE) return refuse(response, { status: 429, code: CODE, headers });
      metrics.refused(CODE);
      response.status(429).set(headers).json(graphqlRefusal(requestId));
    } catch (error) {
      next(error);
    }
  };

  async function judge({ ip = '' }: Request, { routeId, context }: Locals): Promise<number> {
    const limit = routeId && context ? rateLimitOf(routeId, env.rateLimitScale) : null;
    if (!limit || !context) return 0;
    const { retryAfterMs } = await store.take(rateLimitKey(context.session, ip), limit);
    if (retryAfterMs > 0) metrics.rateLimited(limit.name);
    return retryAfterMs;
  }
}

function graphqlRefusal(requestId: string) {
  const error = { message: 'Too many requests: see Retry-After.', errorType: CODE };
  return { data: null, errors: [error], extensions: { requestId } };
}
