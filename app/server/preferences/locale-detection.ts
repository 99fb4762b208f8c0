/**
 * Which language someone gets who asks for bare `/` and has not chosen yet. Everywhere else the address says it.
 */
import Negotiator from 'negotiator';
import { LanguageDetector } from 'remix-i18next/server';
import { defaultLocale, type Locale, locales, parseLocale } from '../../i18n/locales.ts';
import { readCookies } from '../cookies/cookie-jar.ts';
import { LOCALE_COOKIE } from './preferences.ts';

/** What a browser sends is a few dozen characters; more is not worth parsing. */
const MAX_ACCEPT_LANGUAGE = 512;

const codes = locales.map((locale) => locale.code);

const detector = new LanguageDetector({
  supportedLanguages: codes,
  fallbackLanguage: defaultLocale.code,
  order: ['custom'],
  // The detector's own reading of the header looks at its first language alone ("it, fr;q=0.9" would give English)
  // and prefers an exact tag to a better quality value ("fr-CA, en;q=0.8" too).
  findLocale: async (request) => acceptedLanguages(request.headers.get('accept-language') ?? ''),
});

/**
 * The site's languages that an `Accept-Language` asks for, the best first, by quality values (RFC 9110 section 12.5.4).
 * Empty where it asks for none of them.
 */
export function acceptedLanguages(acceptLanguage: string): string[] {
  if (acceptLanguage === '' || acceptLanguage.length > MAX_ACCEPT_LANGUAGE) return [];
  return new Negotiator({ headers: { 'accept-language': acceptLanguage } }).languages(codes);
}

/**
 * The language for a first document request of `/`: the cookie's, else the best of `Accept-Language` by quality
 * values (RFC 9110 section 12.5.4), else English. `remember` is false when the cookie already says so.
 */
export async function detectLocale(request: Request): Promise<{ locale: Locale; remember: boolean }> {
  const chosen = parseLocale(readCookies(request).get(LOCALE_COOKIE));
  if (chosen) return { locale: chosen, remember: false };
  return { locale: parseLocale(await detector.detect(request)) ?? defaultLocale, remember: true };
}
