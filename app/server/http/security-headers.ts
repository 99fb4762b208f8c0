/** The headers that tell a browser what a response may do. */
import type { Env } from '../config/env.ts';

/**
 * For every response. There is no `Referrer-Policy: no-referrer`: it makes browsers send `Origin: null` with forms of
 * the site's own pages. `X-Frame-Options` is for browsers that do not know `frame-ancestors`.
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

/** For whatever is not a document of the site: nothing in it is to run, load or be framed. */
export const INERT_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * A document's Content-Security-Policy (level 3): its own inline scripts by nonce or hash (`inlineScripts` are the
 * sources that name them), everything else from the site.
 * `form-action` names the hosted login because browsers apply it to the redirect that answers the sign-out form.
 */
export function documentPolicy(
  inlineScripts: readonly string[],
  env: { userPool: Pick<Env['userPool'], 'domain'> },
  development: boolean,
): string {
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
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}
