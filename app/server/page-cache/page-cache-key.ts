/** The cache key of a page. Requests with the same key get the same response. */

import { chunkNames, cookieName, isDocumentRequest, readCookies } from '@tenfold/cognito-session';
import type { Exchange } from '@tenfold/site-server';
import { type LocaleCode, localeOfPath, stripLocale } from '../../i18n/locales.ts';
import { canonicalPagePath, hasParameters, pageAtPath, routeIdOf } from '../../i18n/localized-page.ts';
import type { Page } from '../../pages.ts';
import type { Theme } from '../../theme/theme.ts';
import { offeredLocale } from '../preferences/language-offer.ts';
import { readTheme } from '../preferences/preferences.ts';

/** `offer` is the language of the language offer on the page; null for a page without an offer. */
export type PageCacheKey = { path: string; theme: Theme; offer: LocaleCode | null };

const SESSION_COOKIE = 'session';

/** Flash cookies whose content a page shows: the notice about a sign-in or sign-out, the outcome of a form. */
const FLASH_COOKIES = ['notice', 'outcome'];

/** A page at a path. `seconds` is how long its response may be sent again, `isOneOfMany` whether it has parameters. */
export type CacheablePage = { routeId: string; seconds: number; isOneOfMany: boolean };

/** Finds the page at a path in its canonical spelling. */
export type CacheablePages = { get(path: string): CacheablePage | undefined };

/**
 * Returns the pages in every language, except those with middleware, whose response may differ between visitors, and those
 * that are not kept, such as pages with parameters that do not say for how long.
 */
export function createCacheablePages(among: readonly Page[]): CacheablePages {
  return {
    get(path) {
      const page = pageAtPath(stripLocale(path), among);
      if (!page || page.middleware?.length || canonicalPagePath(path) !== path) return undefined;
      const isOneOfMany = hasParameters(page);
      const { cacheSeconds: seconds = isOneOfMany ? 0 : Number.POSITIVE_INFINITY } = page;
      return seconds > 0 ? { routeId: routeIdOf(page, localeOfPath(path)), seconds, isOneOfMany } : undefined;
    },
  };
}

type KeyedRequest = Pick<Exchange, 'method' | 'target' | 'headers'>;

/**
 * Creates the function that returns a request's cache key, or null when the page must be rendered for its visitor.
 * `cacheablePages` finds them by path; a query or another spelling of a path has no key. The request has passed the filter.
 */
export function createPageCacheKeys(
  session: { secure: boolean },
  cacheablePages: { get(path: string): unknown },
): (request: KeyedRequest) => PageCacheKey | null {
  const flash = FLASH_COOKIES.map((name) => cookieName(name, session.secure));
  // A session may be split into several cookies, some of which may be missing.
  const personal = new Set([...chunkNames(cookieName(SESSION_COOKIE, session.secure)), ...flash]);
  return (request) => {
    const { method, target: path, headers } = request;
    if ((method !== 'GET' && method !== 'HEAD') || !cacheablePages.get(path)) return null;
    if (!isDocumentRequest(headers) || hasBody(headers)) return null;
    const cookies = readCookies(request);
    if (cookies.names.some((name) => personal.has(name))) return null;
    const offer = offeredLocale(localeOfPath(path), request)?.code ?? null;
    return { path, theme: readTheme(request), offer };
  };
}

function hasBody(headers: KeyedRequest['headers']): boolean {
  return headers.get('content-length') !== null || headers.get('transfer-encoding') !== null;
}
