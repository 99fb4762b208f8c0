/**
 * The rate limits of routes, and the store keys of visitors. To limit another route, add its id to `limits`. The
 * algorithm is in `shared-store/token-bucket.ts`.
 */
import { hash } from 'node:crypto';
import { addressBlock } from '../http/visitor-address.ts';
import { POLICY_REPORTS_PATH } from '../observability/policy-reports-path.ts';

export type RateLimit = {
  name: string;
  /** How many requests a visitor may send at once after a pause. */
  burst: number;
  /** How many requests are added per second. */
  perSecond: number;
};

/** The route of the GraphQL proxy. Operations of pages count against the same limit. */
export const OPERATIONS = 'api/graphql';

const signIn: RateLimit = { name: 'sign-in', burst: 3000, perSecond: 10 };

/**
 * By route id. The limits are far above what people need, even if thousands share one address, and above the ten
 * thousand parallel requests that a session supports at its expiry. They stop programs that send requests in a loop.
 */
const limits: Readonly<Record<string, RateLimit>> = {
  'auth/sign-in': signIn,
  'auth/sign-up': signIn,
  'auth/callback': signIn,
  'auth/sign-out': signIn,
  [OPERATIONS]: { name: 'graphql', burst: 12_000, perSecond: 50 },
  'api/identity': { name: 'identity', burst: 600, perSecond: 5 },
  preferences: { name: 'preferences', burst: 600, perSecond: 5 },
  [POLICY_REPORTS_PATH.slice(1)]: { name: 'policy-reports', burst: 600, perSecond: 5 },
};

/** Whether a route has a limit. */
export function isRateLimited(routeId: string): boolean {
  return Object.hasOwn(limits, routeId);
}

/** Returns the limit of a route times `scale`; null for a route without one, and for scale 0. */
export function rateLimitOf(routeId: string, scale: number): RateLimit | null {
  const limit = Object.hasOwn(limits, routeId) ? limits[routeId] : undefined;
  if (!limit || scale === 0) return null;
  return {
    ...limit,
    burst: Math.max(1, Math.floor(limit.burst * scale)),
    perSecond: limit.perSecond * scale,
  };
}

/** Returns the store key of a visitor's bucket. It reveals neither the session id nor the address. */
export function rateLimitKey(visitor: { sessionId: string } | { address: string }): string {
  const name =
    'sessionId' in visitor ? `session ${visitor.sessionId}` : `address ${addressBlock(visitor.address)}`;
  return hash('sha256', name, 'base64url').slice(0, 22);
}
