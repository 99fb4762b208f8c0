/**
 * The rate limits of routes, and the store keys of visitors. To limit another route, add its id to `limits`. The
 * algorithm is in `shared-store/token-bucket.ts`.
 */
import { hash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';

export type RateLimit = {
  name: string;
  /** How many requests a visitor may send at once after a pause. */
  burst: number;
  /** How many requests are added per second. */
  perSecond: number;
};

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
  'api/graphql': { name: 'graphql', burst: 12_000, perSecond: 50 },
  'api/identity': { name: 'identity', burst: 600, perSecond: 5 },
  preferences: { name: 'preferences', burst: 600, perSecond: 5 },
  'csp-reports': { name: 'policy-reports', burst: 600, perSecond: 5 },
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

/** Returns an IPv4 address, or the /64 prefix that an IPv6 subscriber has at least (RFC 6177). */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped && isIPv4(mapped)) return mapped;
  const plain = address.replace(/%.*/, '');
  if (!isIPv6(plain)) return address;
  // The URL parser normalizes every form of an address (RFC 5952).
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const missing = 8 - groupsOf(canonical).length;
  const complete = canonical.replace('::', `:${'0:'.repeat(missing)}`);
  return `${groupsOf(complete).slice(0, 4).join(':')}::/64`;
}

/** The groups of an IPv6 address that it spells out: none for those that `::` stands for. */
function groupsOf(address: string): string[] {
  return address.split(':').filter((group) => group !== '');
}
