/** The cache key of a page. Requests with the same key get the same response. */
import { type LocaleCode, localeOfPath } from '../../i18n/locales.ts';
import { defaultTheme, parseTheme, type Theme } from '../../theme/theme.ts';
import { chunkNames } from '../cookies/chunked-cookie.ts';
import { readCookies } from '../cookies/cookie-jar.ts';
import { cookieName } from '../cookies/sealed-cookie.ts';
import { isDocumentRequest } from '../http/document-request.ts';
import type { Exchange } from '../http/exchange.ts';
import { offeredLocale } from '../preferences/language-offer.ts';
import { THEME_COOKIE } from '../preferences/preferences.ts';

/** `offer` is the language of the language offer on the page; null for a page without an offer. */
export type PageCacheKey = { path: string; theme: Theme; offer: LocaleCode | null };

/** Flash cookies whose content a page shows: the notice about a sign-in or sign-out, the outcome of a form. */
const FLASH_COOKIES = ['notice', 'outcome'];

type KeyedRequest = Pick<Exchange, 'method' | 'target' | 'headers'>;

/**
 * Creates the function that returns a request's cache key, or null when the page must be rendered for its visitor.
 * `pages` are the cacheable paths; a query or another spelling of a path has no key. The request has passed the filter.
 */
export function createPageCacheKeys(
  session: { secure: boolean },
  pages: ReadonlyMap<string, unknown>,
): (request: KeyedRequest) => PageCacheKey | null {
  const flash = FLASH_COOKIES.map((name) => cookieName(name, session.secure));
  // A session may be split into several cookies, some of which may be missing.
  const personal = new Set([...chunkNames(cookieName('session', session.secure)), ...flash]);
  const locales = new Map([...pages.keys()].map((path) => [path, localeOfPath(path)]));
  return (request) => {
    const { method, target: path, headers } = request;
    const locale = locales.get(path);
    if ((method !== 'GET' && method !== 'HEAD') || !locale) return null;
    if (!isDocumentRequest(headers) || hasBody(headers)) return null;
    const cookies = readCookies(request);
    if (cookies.names.some((name) => personal.has(name))) return null;
    const theme = parseTheme(cookies.get(THEME_COOKIE)) ?? defaultTheme;
    return { path, theme, offer: offeredLocale(locale, request)?.code ?? null };
  };
}

function hasBody(headers: KeyedRequest['headers']): boolean {
  return headers.get('content-length') !== null || headers.get('transfer-encoding') !== null;
}
