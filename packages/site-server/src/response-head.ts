/** The head that every response has: the request id, security headers, cookies, and safe defaults for caching. */
import type { Exchange, SiteResponse } from './exchange.ts';
import type { ServerRules } from './rules.ts';

type HeadRules = Pick<ServerRules, 'appOrigin' | 'location'>;

/** The part of an exchange that a head depends on. */
type HeadSource = Pick<Exchange, 'requestId' | 'cookies' | 'vary'>;

/** A complete head, by lower-case name. */
export type Head = Record<string, string | string[]>;

/** Returns the complete head of a response from the headers that its step returned. */
export type CompleteHead = (source: HeadSource, status: number, headers: SiteResponse['headers']) => Head;

/**
 * Creates the one function that completes heads. Headers of a step replace the defaults. The cookies of the jar, such as
 * those of a refreshed session, become `Set-Cookie` lines here. During shutdown, when `isDraining` returns true, every
 * response has `Connection: close`.
 */
export function createHeads(rules: HeadRules, isDraining: () => boolean = () => false): CompleteHead {
  const defaults = { ...baseHeaders(rules), 'content-security-policy': INERT_POLICY };
  return ({ requestId, cookies, vary }, status, headers) => {
    const { location, vary: ownVary = [], 'set-cookie': ownCookies = [], ...others } = headers;
    const setCookie = [...new Set([ownCookies, cookies.lines()].flat())];
    const { 'cache-control': cacheControl = '' } = others;
    // No shared cache may store a response that sets a cookie.
    const isKept = setCookie.length === 0 || String(cacheControl).startsWith('private');
    const varies = new Set([ownVary, vary].flat().flatMap((names) => names.split(', ')));
    return {
      ...defaults,
      ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
      ...others,
      'cache-control': (isKept && cacheControl) || 'private, no-store',
      'x-request-id': requestId,
      ...(typeof location === 'string' ? { location: rules.location(location) ?? '/' } : {}),
      ...(setCookie.length > 0 ? { 'set-cookie': setCookie } : {}),
      ...(varies.size > 0 ? { vary: [...varies].join(', ') } : {}),
      ...(isDraining() ? { connection: 'close' } : {}),
    };
  };
}

/**
 * For every response. There is no `Referrer-Policy: no-referrer`: it makes browsers send `Origin: null` with forms of
 * the site's own pages. `X-Frame-Options` is for browsers without support for `frame-ancestors`.
 */
function baseHeaders({ appOrigin }: HeadRules): Record<string, string> {
  return {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(appOrigin.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=63072000; includeSubDomains' }
      : {}),
  };
}

/** The policy of every response that is not a document of the site. It forbids scripts, resources and frames. */
const INERT_POLICY = "default-src 'none'; frame-ancestors 'none'";
