/**
 * How often one visitor may ask for what costs something. A limit is a bucket that refills at a steady rate, counted
 * by the generic cell rate algorithm (ITU-T I.371 annex A): one number per visitor, the time at which it is full again.
 * Pure: time, store and visitor are handed in.
 */
import { hash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import type { Session } from '../session/session.ts';

export type RateLimit = {
  name: string;
  /** How many requests a visitor who was quiet may make at once. */
  burst: number;
  /** How many of them come back per second. */
  perSecond: number;
};

/**
 * Far above what people do, also when thousands of them share one address, and above the ten thousand requests that
 * a session may race at its expiry. They stop programs that keep hammering.
 */
const signIn: RateLimit = { name: 'sign-in', burst: 3000, perSecond: 10 };
const limits: Readonly<Record<string, RateLimit>> = {
  'auth/sign-in': signIn,
  'auth/sign-up': signIn,
  'auth/callback': signIn,
  'auth/sign-out': signIn,
  'api/graphql': { name: 'graphql', burst: 12_000, perSecond: 50 },
  'api/identity': { name: 'identity', burst: 600, perSecond: 5 },
  preferences: { name: 'preferences', burst: 600, perSecond: 5 },
};

/** The limit of a route, by its id, times `scale`; null where there is none. */
export function rateLimitOf(routeId: string, scale: number): RateLimit | null {
  const limit = Object.hasOwn(limits, routeId) ? limits[routeId] : undefined;
  if (!limit || scale === 0) return null;
  return {
    ...limit,
    burst: Math.max(1, Math.floor(limit.burst * scale)),
    perSecond: limit.perSecond * scale,
  };
}

/** Whose bucket it is: the session's, or for who is not signed in the address's. Tells nothing of either. */
export function rateLimitKey(session: Session, address: string): string {
  const visitor =
    session.state === 'signed-in' ? `session ${session.id}` : `address ${addressBlock(address)}`;
  return hash('sha256', visitor, 'base64url').slice(0, 22);
}

/** When to come back, in whole seconds (RFC 9110 section 10.2.3). */
export function retryAfter(retryAfterMs: number): { 'retry-after': string } {
  return { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
}

/** An IPv4 address, or the /64 that one IPv6 subscriber has at least (RFC 6177). */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped && isIPv4(mapped)) return mapped;
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return address;
  // The URL parser writes every form of an address in one way (RFC 5952).
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - groups.length - rest.length }, () => '0');
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`;
}
