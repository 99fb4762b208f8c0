/** Applies the rate limits to requests, per session or, for visitors without one, per network address. */
import type { IncomingMessage } from 'node:http';
import type { Env } from '../config/env.ts';
import type { Exchange, SiteResponse, Step } from '../http/exchange.ts';
import { type Rejection, retryAfter } from '../http/rejection.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Session } from '../session/session.ts';
import type { SharedStore } from '../shared-store/shared-store.ts';
import { isRateLimited, rateLimitKey, rateLimitOf } from './rate-limit.ts';

type RateLimiterDeps = { store: SharedStore; env: Pick<Env, 'rateLimitScale'>; metrics: Metrics };

/** Consumes one request of a route's limit. Resolves to 0, or to the milliseconds to wait when nothing is left. */
export type RateLimiter = (routeId: string, session: Session, address: string) => Promise<number>;

/** Creates the limiter over the shared store. */
export function createRateLimiter({ store, env, metrics }: RateLimiterDeps): RateLimiter {
  return async (routeId, session, address) => {
    const limit = rateLimitOf(routeId, env.rateLimitScale);
    if (!limit) return 0;
    const visitor = session.state === 'signed-in' ? { sessionId: session.id } : { address };
    const { retryAfterMs } = await store.consume(`${limit.name} ${rateLimitKey(visitor)}`, limit);
    if (retryAfterMs > 0) metrics.rateLimited(limit.name);
    return retryAfterMs;
  };
}

/** 429 (RFC 6585 section 4), or null when there is nothing to wait for. */
export function tooManyRequests(retryAfterMs: number): Rejection | null {
  if (retryAfterMs === 0) return null;
  return {
    status: 429,
    code: 'TooManyRequests',
    message: 'Too many requests: see Retry-After.',
    headers: retryAfter(retryAfterMs),
  };
}

export type RateLimitStepOptions = {
  limitRate: RateLimiter;
  /** The network address of the visitor, from the headers of trusted proxies or else of the connection. */
  addressOf: (request: IncomingMessage) => string;
  reject: (exchange: Exchange, rejection: Rejection) => SiteResponse;
};

/** A step that rejects requests beyond the limit of their route. It opens the session, which identifies the visitor. */
export function createRateLimitStep<Context extends { session: Session }>({
  limitRate,
  addressOf,
  reject,
}: RateLimitStepOptions): Step<Context> {
  const check = async (exchange: Exchange<Context>, routeId: string) => {
    const { session } = await exchange.context();
    const rejection = tooManyRequests(await limitRate(routeId, session, addressOf(exchange.request)));
    return rejection && reject(exchange, rejection);
  };
  return (exchange) => {
    const { routeId } = exchange;
    return routeId !== null && isRateLimited(routeId) ? check(exchange, routeId) : null;
  };
}
