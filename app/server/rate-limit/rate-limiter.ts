/** Where requests meet their rate limits: after the session is open, since a visitor is known by that first. */
import type { RequestHandler, Response } from 'express';
import { refuseForNow } from '../graphql-proxy/graphql-proxy.ts';
import type { Locals } from '../http/response-head.ts';
import type { Services } from '../request-context.ts';
import type { Session } from '../session/session.ts';
import { rateLimitKey, rateLimitOf, retryAfter } from './rate-limit.ts';

type Refuse = (
  response: Response,
  refusal: { status: number; code: string; headers?: Record<string, string> },
) => void;

type LimiterDeps = Pick<Services, 'store' | 'env' | 'metrics'>;

/** Its answers have GraphQL's shape, refusals too. */
const GRAPHQL_ROUTE = 'api/graphql';

/** Takes one request from what a visitor may ask of a route: the milliseconds until the next is allowed, 0 for now. */
export function createRateLimiter({ store, env, metrics }: LimiterDeps) {
  return {
    async take(routeId: string, session: Session, address: () => string): Promise<number> {
      const limit = rateLimitOf(routeId, env.rateLimitScale);
      if (!limit) return 0;
      const { retryAfterMs } = await store.consume(
        `${limit.name} ${rateLimitKey(session, address())}`,
        limit,
      );
      if (retryAfterMs > 0) metrics.rateLimited(limit.name);
      return retryAfterMs;
    },
  };
}

/** Answers 429 with `Retry-After` (RFC 6585 section 4) to whoever asks too often; `refuse` writes what is not GraphQL. */
export function limitRequestRate(services: LimiterDeps, refuse: Refuse): RequestHandler {
  const limiter = createRateLimiter(services);
  return async ({ ip = '' }, response, next) => {
    try {
      const { routeId, context } = response.locals as Locals;
      if (!routeId || !context) return next();
      const retryAfterMs = await limiter.take(routeId, context.session, () => ip);
      if (retryAfterMs === 0) return next();
      if (routeId !== GRAPHQL_ROUTE) {
        return refuse(response, { status: 429, code: 'TooManyRequests', headers: retryAfter(retryAfterMs) });
      }
      const { status, headers, body } = refuseForNow(retryAfterMs, context, context);
      response.status(status).set(headers).send(body);
    } catch (error) {
      next(error);
    }
  };
}
