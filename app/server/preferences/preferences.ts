/**
 * The preferences of a visitor: language, theme, and whether the language offer was dismissed. Cookies with
 * allow-listed values.
 */

import {
  type CookieAttributes,
  type CookieSource,
  type ResponseCookies,
  readCookies,
  readValidCookie,
} from '@tenfold/cognito-session';
import { LOCALE_COOKIE, type Locale } from '../../i18n/locales.ts';
import { defaultTheme, parseTheme, THEME_COOKIE, type Theme } from '../../theme/theme.ts';

const LANGUAGE_OFFER_COOKIE = 'language-offer';
const DISMISSED = 'dismissed';

const YEAR = 365 * 24 * 60 * 60;

/** Scripts can read preference cookies, because these do not identify the visitor. */
function attributes(secure: boolean): CookieAttributes {
  return { maxAge: YEAR, httpOnly: false, secure, sameSite: 'lax' };
}

/** The theme that the cookie names, else `system`. */
export function readTheme(request: CookieSource): Theme {
  return readValidCookie(request, THEME_COOKIE, parseTheme) ?? defaultTheme;
}

/** Whether the visitor has dismissed the offer to read a page in another language. */
export function isLanguageOfferDismissed(request: CookieSource): boolean {
  return readCookies(request).get(LANGUAGE_OFFER_COOKIE) === DISMISSED;
}

/** Makes no language offers for 365 days. `secure` where the site is on https. */
export function dismissLanguageOffer(cookies: ResponseCookies, secure: boolean): void {
  cookies.set(LANGUAGE_OFFER_COOKIE, DISMISSED, attributes(secure));
}

/** Keeps the language for 365 days. `secure` where the site is on https. */
export function rememberLocale(cookies: ResponseCookies, locale: Locale, secure: boolean): void {
  cookies.set(LOCALE_COOKIE, locale.code, attributes(secure));
}

/** Keeps the theme for 365 days. `secure` where the site is on https. */
export function rememberTheme(cookies: ResponseCookies, theme: Theme, secure: boolean): void {
  cookies.set(THEME_COOKIE, theme, attributes(secure));
}
