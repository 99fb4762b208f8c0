/** The cache key of a page. Requests with the same key get the same response. */
import { LOCALE_COOKIE, type Locale, type LocaleCode, localeOfPath, locales } from '../../i18n/locales.ts';
import { pathOf, routeIdOf } from '../../i18n/localized-page.ts';
import { type Page, pages } from '../../pages.ts';
import { defaultTheme, parseTheme, THEME_COOKIE, type Theme, themes } from '../../theme/theme.ts';
import { chunkNames } from '../cookies/chunked-cookie.ts';
import { readCookies } from '../cookies/cookie-jar.ts';
import { cookieName } from '../cookies/sealed-cookie.ts';
import { isDocumentRequest } from '../http/document-request.ts';
import type { Exchange } from '../http/exchange.ts';
import { offeredLocale } from '../preferences/language-offer.ts';
import { DISMISSED, LANGUAGE_OFFER_COOKIE } from '../preferences/preferences.ts';

/** `offer` is the language of the language offer on the page; null for a page without an offer. */
export type PageCacheKey = { path: string; theme: Theme; offer: LocaleCode | null };

const SESSION_COOKIE = 'session';

/** Flash cookies whose content a page shows: the notice about a sign-in or sign-out, the outcome of a form. */
const FLASH_COOKIES = ['notice', 'outcome'];

/**
 * Path to route id of every page in every language, except pages with middleware, whose response may differ between
 * visitors.
 */
export function findCacheablePages(among: readonly Page[] = pages): ReadonlyMap<string, string> {
  const cacheable = among.filter(({ middleware = [] }) => middleware.length === 0);
  return new Map(
    cacheable.flatMap((page) => locales.map((locale) => [pathOf(page, locale), routeIdOf(page, locale)])),
  );
}

/** What the key of a page is made of. */
export type PageKeyRules = {
  /** Path to locale of every page that has a key. */
  pages: ReadonlyMap<string, Locale>;
  themes: readonly Theme[];
  defaultTheme: Theme;
  /** The languages that a page may be offered in. */
  languages: readonly LocaleCode[];
  /** A request with a cookie whose name is one of these, or begins with one and a dot, has no key. With or without `__Host-`. */
  personalCookies: readonly string[];
  themeCookie: string;
  localeCookie: string;
  /** The cookie and its value with which no language is offered. */
  dismissedOffer: { cookie: string; value: string };
};

/**
 * The one description of the key. `createPageCacheKeys` follows it, and the configurations of the caches in front of the
 * site are generated from it (`npm run edge:config`).
 */
export function pageKeyRules(): PageKeyRules {
  return {
    pages: new Map([...findCacheablePages().keys()].map((path) => [path, localeOfPath(path)])),
    themes,
    defaultTheme,
    languages: locales.map(({ code }) => code),
    personalCookies: [SESSION_COOKIE, ...FLASH_COOKIES],
    themeCookie: THEME_COOKIE,
    localeCookie: LOCALE_COOKIE,
    dismissedOffer: { cookie: LANGUAGE_OFFER_COOKIE, value: DISMISSED },
  };
}

/** The key without its path, as a cache in front of the site names it: `dark|fr`, or `dark|none` without an offer. */
export function nameOfKey({ theme, offer }: Pick<PageCacheKey, 'theme' | 'offer'>): string {
  return `${theme}|${offer ?? 'none'}`;
}

type KeyedRequest = Pick<Exchange, 'method' | 'target' | 'headers'>;

/**
 * Creates the function that returns a request's cache key, or null when the page must be rendered for its visitor.
 * `cacheablePages` are their paths; a query or another spelling of a path has no key. The request has passed the filter.
 */
export function createPageCacheKeys(
  session: { secure: boolean },
  cacheablePages: ReadonlyMap<string, unknown>,
): (request: KeyedRequest) => PageCacheKey | null {
  const flash = FLASH_COOKIES.map((name) => cookieName(name, session.secure));
  // A session may be split into several cookies, some of which may be missing.
  const personal = new Set([...chunkNames(cookieName(SESSION_COOKIE, session.secure)), ...flash]);
  const locales = new Map([...cacheablePages.keys()].map((path) => [path, localeOfPath(path)]));
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
