/** The head that every response has: the request id, security headers, cookies, and safe defaults for caching. */
import type { Env } from '../config/env.ts';
import type { Exchange, SiteResponse } from './exchange.ts';
import { type LocationEnv, siteLocation } from './location.ts';

/** A flat list of names and values, the fastest form for `writeHead`. Several `Set-Cookie` lines are one value. */
export type Head = (string | readonly string[])[];

type HeadSource = Pick<Exchange, 'requestId' | 'cookies' | 'vary'>;

/** Creates the function that completes the head of a response. */
export function createHeadCompletion(env: LocationEnv) {
  const defaults = Object.entries({ ...baseHeaders(env), 'content-security-policy': INERT_POLICY });
  return (
    { requestId, cookies, vary }: HeadSource,
    status: number,
    headers: SiteResponse['headers'],
  ): Head => {
    const head: Head = ['x-request-id', requestId];
    for (const [name, value] of defaults) if (!(name in headers)) head.push(name, value);
    for (const name of Object.keys(headers)) if (!MERGED.has(name)) head.push(name, headers[name] ?? '');
    const own = headers['set-cookie'] ?? [];
    const lines = own.length > 0 ? [...new Set([own, cookies.lines()].flat())] : cookies.lines();
    if (lines.length > 0) head.push('set-cookie', lines);
    // A shared cache must never store a response that sets a cookie.
    head.push('cache-control', (lines.length === 0 && headers['cache-control']) || 'private, no-store');
    const varies = headers.vary === undefined ? vary : [headers.vary, ...vary].flat();
    if (varies.length > 0) head.push('vary', [...new Set(varies)].join(', '));
    if (typeof headers.location === 'string')
      head.push('location', siteLocation(headers.location, env) ?? '/');
    if (status === 405 && !('allow' in headers)) head.push('allow', 'GET, HEAD');
    return head;
  };
}

/** Headers of a step that are not passed on unchanged. */
const MERGED = new Set(['set-cookie', 'cache-control', 'vary', 'location']);

/**
 * For every response. There is no `Referrer-Policy: no-referrer`: it makes browsers send `Origin: null` with forms of
 * the site's own pages. `X-Frame-Options` is for browsers without support for `frame-ancestors`.
 */
export function baseHeaders(env: Pick<Env, 'appOrigin'>): Record<string, string> {
  return {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(env.appOrigin.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=63072000; includeSubDomains' }
      : {}),
  };
}

/** The policy of every response that is not a document of the site. It forbids scripts, resources and frames. */
const INERT_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Where browsers report violations of the policy of a document. */
export const POLICY_REPORTS_PATH = '/csp-reports';

/** The settings that the policy of a document depends on. */
export type PolicyEnv = LocationEnv;

/**
 * The headers with a document's Content-Security-Policy (level 3): its own inline scripts by nonce or hash
 * (`inlineScripts` are the sources that name them), everything else from the site.
 * `form-action` names the hosted login because browsers apply it to the redirect after the sign-out form.
 * Browsers that support `report-to` ignore `report-uri`, and accept endpoints for reports only over https.
 */
export function documentPolicy(
  inlineScripts: readonly string[],
  env: PolicyEnv,
  development: boolean,
): Record<string, string> {
  const isHttps = env.appOrigin.startsWith('https:');
  const directives = {
    'default-src': ["'self'"],
    'script-src': ["'self'", ...inlineScripts],
    // Vite's development client injects its styles and listens on a web socket.
    'style-src': ["'self'", ...(development ? ["'unsafe-inline'"] : [])],
    'connect-src': ["'self'", ...(development ? ['ws:'] : [])],
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'", env.userPool.domain],
    'frame-ancestors': ["'none'"],
    'report-uri': [POLICY_REPORTS_PATH],
    ...(isHttps ? { 'report-to': ['csp'] } : {}),
  };
  const policy = Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
  return {
    'content-security-policy': policy,
    ...(isHttps ? { 'reporting-endpoints': `csp="${POLICY_REPORTS_PATH}"` } : {}),
  };
}
