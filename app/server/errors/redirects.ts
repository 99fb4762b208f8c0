/** Responses without a page: redirects, and rejections of methods and prefetches. None of them may be cached. */

import { type LocationEnv, siteLocation } from '@tenfold/cognito-session';
import { escapeHtml } from './error-response.ts';

const HEADERS = { 'cache-control': 'private, no-store' };

/** 302, or 303 after a form was posted (RFC 9110 section 15.4). `guardRoutes` checks the location of every response. */
export function redirectTo(location: string, status: 302 | 303 = 302): Response {
  return new Response(null, { status, headers: { ...HEADERS, location } });
}

/**
 * A page that navigates to `location` at once, or to `/` if that is on another site. Browsers withhold `SameSite=Strict` cookies from a chain of redirects that
 * began on another site; the navigation from this page begins here.
 */
export function redirectByPage(location: string, env: LocationEnv): Response {
  const target = escapeHtml(siteLocation(location, env) ?? '/');
  const html = `<!doctype html><meta charset="utf-8"><title>…</title><meta http-equiv="refresh" content="0;url=${target}"><a href="${target}">${target}</a>`;
  return new Response(html, { headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8' } });
}

/** 405 with the allowed methods (RFC 9110 section 15.5.6). */
export function methodNotAllowed(allow: string): Response {
  return new Response(null, { status: 405, headers: { ...HEADERS, allow } });
}

/** Rejects a prefetch of an address that has an effect. The visit itself sends the request again. */
export function rejectPrefetch(): Response {
  return new Response(null, { status: 403, headers: HEADERS });
}

/**
 * Makes the browser clear the storage of every tab of the site, which contains drafts of messages
 * (https://www.w3.org/TR/clear-site-data/). Cookies with preferences stay.
 */
export function clearingStorage(response: Response): Response {
  response.headers.set('clear-site-data', '"storage"');
  return response;
}
