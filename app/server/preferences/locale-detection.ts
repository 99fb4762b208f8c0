/**
 * The languages that `Accept-Language` names: for visitors of `/` who have not chosen one, and for the language offer.
 */
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { LanguageDetector } from 'remix-i18next/server';
import { defaultLocale, LOCALE_COOKIE, type Locale, locales, parseLocale } from '../../i18n/locales.ts';
import { type CookieSource, readCookies } from '../cookies/cookie-jar.ts';

/** Browsers send a few dozen characters. */
const MAX_ACCEPT_LANGUAGE_LENGTH = 512;

const codes = locales.map((locale) => locale.code);

const detector = new LanguageDetector({
  supportedLanguages: codes,
  fallbackLanguage: defaultLocale.code,
  order: ['custom'],
  // The detector's own parser reads only the first language ("it, fr;q=0.9" gives English), and prefers an exact tag to
  // a better quality value ("fr-CA, en;q=0.8" gives English too).
  findLocale: async (request) => acceptedLanguages(request.headers.get('accept-language') ?? ''),
});

/** Returns the site's languages that an `Accept-Language` accepts, the best first (RFC 9110 section 12.5.4). */
function acceptedLanguages(acceptLanguage: string): string[] {
  if (acceptLanguage === '') return [];
  return new Negotiator({ headers: { 'accept-language': acceptLanguage } }).languages(codes);
}

/** Some thousand values of `Accept-Language` are in use, and most requests have one of the same few. */
const MAX_CACHED_HEADERS = 500;

const detected = new LRUCache<string, Locale>({ max: MAX_CACHED_HEADERS });

/**
 * Returns the language of a first visit: the cookie's, else the best of `Accept-Language`, else English. `remember` is
 * false when the cookie already names the language.
 */
export async function detectLocale(request: CookieSource): Promise<{ locale: Locale; remember: boolean }> {
  const chosen = parseLocale(readCookies(request).get(LOCALE_COOKIE));
  if (chosen) return { locale: chosen, remember: false };
  const header = request.headers.get('accept-language') ?? '';
  const acceptLanguage = header.length > MAX_ACCEPT_LANGUAGE_LENGTH ? '' : header;
  const locale = detected.get(acceptLanguage) ?? (await detectAccepted(acceptLanguage));
  detected.set(acceptLanguage, locale);
  return { locale, remember: true };
}

const named = new LRUCache<string, { locale: Locale | null }>({ max: MAX_CACHED_HEADERS });

/**
 * Returns the best of the site's languages that `Accept-Language` names, or null. The range `*` names none, and neither
 * does a request without the header, such as that of a crawler.
 */
export function namedLocale(headers: CookieSource['headers']): Locale | null {
  const header = headers.get('accept-language') ?? '';
  if (header === '' || header.length > MAX_ACCEPT_LANGUAGE_LENGTH) return null;
  const cached = named.get(header);
  if (cached) return cached.locale;
  const ranges = new Negotiator({ headers: { 'accept-language': header } }).languages();
  const locale = ranges.map(localeOfRange).find((candidate) => candidate !== null) ?? null;
  named.set(header, { locale });
  return locale;
}

/** The locale of a language range such as `fr-CA` (RFC 4647), by its language alone. */
function localeOfRange(range: string): Locale | null {
  return parseLocale(range.split('-', 1)[0]?.toLowerCase());
}

/** Runs the detector. It needs a `Request`, and creating one takes longer than sending a cached page. */
async function detectAccepted(acceptLanguage: string): Promise<Locale> {
  const headers = { 'accept-language': acceptLanguage };
  const request = new Request('http://localhost/', { headers });
  return parseLocale(await detector.detect(request)) ?? defaultLocale;
}
