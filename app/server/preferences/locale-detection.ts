/** The language of a request, found by remix-i18next: the path's, or on a first visit to `/` the visitor's. */
import type { AppLoadContext } from '@remix-run/node';
import { type CookieSource, isDocumentRequest, readValidCookie } from '@tenfold/cognito-session';
import Negotiator from 'negotiator';
import { RemixI18Next } from 'remix-i18next/server';
import { i18nextOptions } from '../../i18n/i18next-options.ts';
import {
  defaultLocale,
  LOCALE_COOKIE,
  type Locale,
  localeOfPath,
  locales,
  parseLocale,
} from '../../i18n/locales.ts';
import type { Translations } from '../../i18n/translations.server.ts';

/** Browsers send a few dozen characters. */
const MAX_ACCEPT_LANGUAGE_LENGTH = 512;

const codes = locales.map(({ code }) => code);

/**
 * Creates what loaders ask for a locale (`getLocale`) and for its texts (`getFixedT`). Only an arrival at `/` is detected:
 * by the cookie `locale`, else by the best of `Accept-Language`, else it is English.
 */
export function createI18n({ resources }: Pick<Translations, 'resources'>): RemixI18Next {
  return new RemixI18Next({
    detection: {
      supportedLanguages: codes,
      fallbackLanguage: defaultLocale.code,
      order: ['custom', 'cookie'],
      // Its parser of `Accept-Language` is not used: it reads only the first language ("it, fr;q=0.9" gives English), and
      // prefers an exact tag to a better quality value ("fr-CA, en;q=0.8" gives English too).
      findLocale: async (request) => {
        const { pathname } = new URL(request.url);
        if (pathname !== '/' || !isArrival(request)) return localeOfPath(pathname).code;
        return chosenLocale(request) ? null : acceptedLanguages(request.headers, codes);
      },
      cookie: localeCookie,
    },
    i18next: i18nextOptions(defaultLocale.code, resources),
  });
}

/** The cookie as remix-i18next reads it. Remix's `createCookie` would decode the plain code as JSON in base64. */
const localeCookie = {
  name: LOCALE_COOKIE,
  isSigned: false,
  parse: async (header: string | null) =>
    chosenLocale({ headers: new Headers({ cookie: header ?? '' }) })?.code ?? null,
  serialize: async (code: string) => `${LOCALE_COOKIE}=${code}`,
};

/** Returns the locale of a request for a loader. Client-side code always asks for the language of the path. */
export async function requestLocale({
  request,
  context,
}: {
  request: Request;
  context: Pick<AppLoadContext, 'i18n' | 'isDataRequest'>;
}): Promise<Locale> {
  if (context.isDataRequest) return localeOfPath(new URL(request.url).pathname);
  return parseLocale(await context.i18n.getLocale(request)) ?? defaultLocale;
}

/** Whether a visitor comes to a page from outside the site. A link of the site itself leads where it says. */
export function isArrival({
  method,
  headers,
}: {
  method: string;
  headers: CookieSource['headers'];
}): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && isDocumentRequest(headers) && headers.get('sec-fetch-site') !== 'same-origin';
}

/** The locale that the visitor chose or got on the first visit: the valid one in the cookie, or null. */
export function chosenLocale(request: CookieSource): Locale | null {
  return readValidCookie(request, LOCALE_COOKIE, parseLocale);
}

/**
 * Returns the best of the site's languages that `Accept-Language` names, or null. The range `*` names none, and neither
 * does a request without the header, such as that of a crawler.
 */
export function namedLocale(headers: CookieSource['headers']): Locale | null {
  const locales = acceptedLanguages(headers).map(localeOfRange);
  return locales.find((locale) => locale !== null) ?? null;
}

/** The languages that `Accept-Language` accepts, of `available` or of all that it names, the best first (RFC 9110 section 12.5.4). */
function acceptedLanguages(headers: CookieSource['headers'], available?: string[]): string[] {
  const header = headers.get('accept-language') ?? '';
  if (header === '' || header.length > MAX_ACCEPT_LANGUAGE_LENGTH) return [];
  return new Negotiator({ headers: { 'accept-language': header } }).languages(available);
}

/** The locale of a language range such as `fr-CA` (RFC 4647), by its language alone. */
function localeOfRange(range: string): Locale | null {
  return parseLocale(range.split('-', 1)[0]?.toLowerCase());
}
