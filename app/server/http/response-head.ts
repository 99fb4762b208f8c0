/** The head that every response has: the request id, security headers, cookies, and safe defaults for caching. */
import type { Env } from '../config/env.ts';
import { POLICY_REPORTS_PATH } from '../observability/policy-reports-path.ts';
import type { Exchange, FixedHead, Head, SiteResponse } from './exchange.ts';
import { type LocationEnv, siteLocation } from './location.ts';

/** The settings that a head depends on. */
export type HeadEnv = LocationEnv & Pick<Env, 'sharedCache'>;

type HeadSource = Pick<Exchange, 'requestId' | 'cookies' | 'vary'>;

/** Completes the head of every response, in two parts, so that a cached page can keep the first. */
export class ResponseHeads {
  readonly #env: HeadEnv;
  readonly #isDraining: () => boolean;
  readonly #defaults: readonly (readonly [string, string])[];

  /** During shutdown, when `isDraining` returns true, every response has `Connection: close`. */
  constructor(env: HeadEnv, isDraining: () => boolean = () => false) {
    this.#env = env;
    this.#isDraining = isDraining;
    this.#defaults = Object.entries({ ...baseHeaders(env), 'content-security-policy': INERT_POLICY });
  }

  /**
   * The part that depends only on what a step returned. Its own `headers` replace the defaults. With `isForCache` the head
   * is for a cache that stores the response for everyone.
   */
  fix(status: number, headers: SiteResponse['headers'], isForCache = false): FixedHead {
    const lines: Head = [];
    for (const [name, value] of this.#defaults) if (!(name in headers)) lines.push(name, value);
    for (const name of Object.keys(headers)) if (!MERGED.has(name)) lines.push(name, headers[name] ?? '');
    const { location, vary = [], 'set-cookie': setCookie = [] } = headers;
    const { 'cache-control': cacheControl = '', 'cdn-cache-control': cdnCacheControl = '' } = headers;
    if (typeof location === 'string') lines.push('location', siteLocation(location, this.#env) ?? '/');
    if (status === 405 && !('allow' in headers)) lines.push('allow', 'GET, HEAD');
    return {
      lines,
      setCookie: [setCookie].flat(),
      cacheControl: String(cacheControl),
      cdnCacheControl: String(cdnCacheControl),
      vary: [vary].flat(),
      isForCache,
    };
  }

  /**
   * The whole head: the fixed part, and what depends on the request. The cookies of the jar, such as that of a refreshed
   * session, become `Set-Cookie` lines here.
   */
  complete({ requestId, cookies, vary }: HeadSource, fixed: FixedHead): Head {
    const head = [...fixed.lines];
    const own = cookies.lines();
    const setCookie = fixed.setCookie.length > 0 ? [...new Set([...fixed.setCookie, ...own])] : own;
    if (setCookie.length > 0) head.push('set-cookie', setCookie);
    // No shared cache may store a response that sets a cookie.
    const isKept = setCookie.length === 0 || fixed.cacheControl.startsWith('private');
    const cacheControl = (isKept && fixed.cacheControl) || 'private, no-store';
    const isShared = fixed.cdnCacheControl !== '' && setCookie.length === 0;
    // The cache adds the caching of browsers, and the id would be sent to others.
    if (!isShared || !fixed.isForCache) {
      head.push('x-request-id', requestId);
      if (isShared) head.push('cdn-cache-control', fixed.cdnCacheControl);
      // CloudFront stores no private response, but may send an older one when the site does not respond.
      const isNeverStale = this.#env.sharedCache && !isShared && cacheControl.startsWith('private');
      head.push('cache-control', isNeverStale ? `${cacheControl}, stale-if-error=0` : cacheControl);
    }
    const varies = vary.length > 0 ? [...new Set([...fixed.vary, ...vary])] : fixed.vary;
    if (varies.length > 0) head.push('vary', varies.join(', '));
    if (this.#isDraining()) head.push('connection', 'close');
    return head;
  }
}

/** Headers of a step that are not passed on unchanged. */
const MERGED = new Set(['set-cookie', 'cache-control', 'cdn-cache-control', 'vary', 'location']);

/**
 * For every response. There is no `Referrer-Policy: no-referrer`: it makes browsers send `Origin: null` with forms of
 * the site's own pages. `X-Frame-Options` is for browsers without support for `frame-ancestors`.
 */
function baseHeaders(env: Pick<Env, 'appOrigin'>): Record<string, string> {
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
