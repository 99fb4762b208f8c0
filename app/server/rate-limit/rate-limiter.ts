/** Applies the rate limits to requests, per session or, for visitors without one, per network address. */
import type { IncomingMessage } from 'node:http';
import type { Session, SharedStore } from '@tenfold/cognito-session';
import {
  type Exchange,
  type Rejection,
  retryAfter,
  type SiteResponse,
  type Step,
} from '@tenfold/site-server';
import type { Env } from '../config/env.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { isRateLimited, rateLimitKey, rateLimitOf, rejectUncounted } from './rate-limit.ts';

type RateLimiterDeps = { store: SharedStore; env: Pick<Env, 'rateLimitScale'>; metrics: Metrics };

/**
 * Consumes one request of a route's limit, or of `OPERATIONS`, of a session or, without one, of an address. Resolves to 0,
 * or to the milliseconds to wait.
 */
export type RateLimiter = (id: string, sessionId: string | null, address: string) => Promise<number>;

/** Creates the limiter over the shared store. */
export function createRateLimiter({ store, env, metrics }: RateLimiterDeps): RateLimiter {
  return async (id, sessionId, address) => {
    const limit = rateLimitOf(id, env.rateLimitScale);
    if (!limit) return 0;
    const visitor = sessionId === null ? { address } : { sessionId };
    const { retryAfterMs } = await store.consume(`${limit.name} ${rateLimitKey(visitor)}`, limit);
    if (retryAfterMs > 0) metrics.rateLimited(limit.name);
    return retryAfterMs;
  };
}

/** The id of a signed-in visitor's session, or null. */
export function idOf(session: Session): string | null {
  return session.state === 'signed-in' ? session.id : null;
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

/**
 * A step that rejects requests that cannot be valid, and those beyond the limit of their route. It opens the session, which
 * identifies the visitor.
 */
export function createRateLimitStep<Context extends { session: Session }>({
  limitRate,
  addressOf,
  reject,
}: RateLimitStepOptions): Step<Context> {
  const check = async (exchange: Exchange<Context>, routeId: string) => {
    const { session } = await exchange.context();
    const rejection =
      rejectUncounted(routeId, exchange) ??
      tooManyRequests(await limitRate(routeId, idOf(session), addressOf(exchange.request)));
    return rejection && reject(exchange, rejection);
  };
  return (exchange) => {
    const { routeId } = exchange;
    return routeId !== null && isRateLimited(routeId) ? check(exchange, routeId) : null;
  };
}
