/**
 * The rate limits of routes, and the store keys of visitors. To limit another route, add its id to `limits`. The
 * algorithm is in `shared-store/token-bucket.ts`.
 */
import { hash } from 'node:crypto';
import { isDocumentRequest, isFromOtherSite, isPrefetch } from '@tenfold/cognito-session';
import { addressBlock, type HeaderReader, type Rejection, wrongMethod } from '@tenfold/site-server';
import { POLICY_REPORTS_PATH } from '../content-policy/policy-reports-path.ts';

export type RateLimit = {
  name: string;
  /** How many requests a visitor may send at once after a pause. */
  burst: number;
  /** How many requests are added per second. */
  perSecond: number;
};

/** Which requests of a route can be valid. Others are rejected, and do not count. */
type LimitedRoute = RateLimit & {
  methods: readonly string[];
  /** Whether a page of another site may lead its visitor to the route. */
  isLinked?: boolean;
};

/** Names the limit of operations. It belongs to no route: `AppSyncClient.execute` counts those of pages and of the proxy alike. */
export const OPERATIONS = 'operations';

const operations: RateLimit = { name: OPERATIONS, burst: 600, perSecond: 20 };

const signIn = { name: 'sign-in', burst: 120, perSecond: 1 };
const linkedSignIn: LimitedRoute = { ...signIn, methods: ['GET'], isLinked: true };

/**
 * By route id. The limits are above what people need, even if many share one address, and stop programs that send requests
 * in a loop.
 */
const limits: Readonly<Record<string, LimitedRoute>> = {
  'auth/sign-in': linkedSignIn,
  'auth/sign-up': linkedSignIn,
  'auth/callback': linkedSignIn,
  'auth/sign-out': { ...signIn, methods: ['POST'] },
  'api/identity': { name: 'identity', burst: 30, perSecond: 0.5, methods: ['GET', 'HEAD'] },
  preferences: { name: 'preferences', burst: 60, perSecond: 1, methods: ['POST'] },
  [POLICY_REPORTS_PATH.slice(1)]: {
    name: 'policy-reports',
    burst: 600,
    perSecond: 5,
    methods: ['POST'],
  },
};

/** Whether a route has a limit. */
export function isRateLimited(routeId: string): boolean {
  return Object.hasOwn(limits, routeId);
}

/** Returns the limit of a route, or of `OPERATIONS`, times `scale`; null for a route without one, and for scale 0. */
export function rateLimitOf(id: string, scale: number): RateLimit | null {
  const limit = id === OPERATIONS ? operations : limitedRoute(id);
  if (!limit || scale === 0) return null;
  const { name, burst, perSecond } = limit;
  return { name, burst: Math.max(1, Math.floor(burst * scale)), perSecond: perSecond * scale };
}

/**
 * Returns why a request of a route with a limit cannot be valid, or null: 405, or 403 for a prefetch and for what a page of
 * another site loads. Such requests must not count, or the page would use up the limit of its visitors and of all others
 * behind their address.
 */
export function rejectUncounted(
  routeId: string,
  { method, headers }: { method: string; headers: HeaderReader },
): Rejection | null {
  const limit = limitedRoute(routeId);
  if (!limit) return null;
  if (!limit.methods.includes(method)) return wrongMethod(limit.methods.join(', '));
  const isLink = limit.isLinked && isDocumentRequest(headers);
  const isForeign = isFromOtherSite(headers) && !isLink;
  return isForeign || isPrefetch(headers) ? { status: 403, code: 'ForeignOrigin' } : null;
}

function limitedRoute(routeId: string): LimitedRoute | undefined {
  return Object.hasOwn(limits, routeId) ? limits[routeId] : undefined;
}

/** Returns the store key of a visitor's bucket. It reveals neither the session id nor the address. */
export function rateLimitKey(visitor: { sessionId: string } | { address: string }): string {
  const name =
    'sessionId' in visitor ? `session ${visitor.sessionId}` : `address ${addressBlock(visitor.address)}`;
  return hash('sha256', name, 'base64url').slice(0, 22);
}
