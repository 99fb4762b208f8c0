/**
 * The preferences of a visitor: language, theme, and whether the language offer was dismissed. Cookies with
 * allow-listed values.
 */
import { type Locale, parseLocale } from '../../i18n/locales.ts';
import { defaultTheme, parseTheme, type Theme } from '../../theme/theme.ts';
import type { Env } from '../config/env.ts';
import {
  type CookieAttributes,
  type CookieSource,
  type ResponseCookies,
  readCookies,
} from '../cookies/cookie-jar.ts';
import { cookieName } from '../cookies/sealed-cookie.ts';

const DISMISSED = 'dismissed';

const YEAR = 365 * 24 * 60 * 60;

/** The setting that selects the names and attributes of the cookies. */
export type PreferenceEnv = Pick<Env, 'appOrigin'>;

/** Browsers reject `Secure` and the prefix `__Host-` over plain HTTP, where the preferences work all the same. */
function isSecure({ appOrigin }: PreferenceEnv): boolean {
  return appOrigin.startsWith('https:');
}

const namesFor = (secure: boolean) => ({
  locale: cookieName('locale', secure),
  theme: cookieName('theme', secure),
  languageOffer: cookieName('language-offer', secure),
});
const secureNames = namesFor(true);
const plainNames = namesFor(false);

/** The names of the preference cookies: with the prefix `__Host-` where the site is on https. */
export function preferenceCookies(env: PreferenceEnv): typeof plainNames {
  return isSecure(env) ? secureNames : plainNames;
}

/** Scripts can read preference cookies, because these do not identify the visitor. */
function attributes(env: PreferenceEnv): CookieAttributes {
  return { maxAge: YEAR, httpOnly: false, secure: isSecure(env), sameSite: 'lax' };
}

/** The theme that the cookie names, else `system`. */
export function readTheme(request: CookieSource, env: PreferenceEnv): Theme {
  return parseTheme(readCookies(request).get(preferenceCookies(env).theme)) ?? defaultTheme;
}

/** The language that the cookie names, or null. */
export function readLocale(request: CookieSource, env: PreferenceEnv): Locale | null {
  return parseLocale(readCookies(request).get(preferenceCookies(env).locale));
}

/** Whether the visitor has dismissed the offer to read a page in another language. */
export function isLanguageOfferDismissed(request: CookieSource, env: PreferenceEnv): boolean {
  return readCookies(request).get(preferenceCookies(env).languageOffer) === DISMISSED;
}

/** Makes no language offers for 365 days. */
export function dismissLanguageOffer(cookies: ResponseCookies, env: PreferenceEnv): void {
  cookies.set(preferenceCookies(env).languageOffer, DISMISSED, attributes(env));
}

/** Keeps the language for 365 days. */
export function rememberLocale(cookies: ResponseCookies, locale: Locale, env: PreferenceEnv): void {
  cookies.set(preferenceCookies(env).locale, locale.code, attributes(env));
}

/** Keeps the theme for 365 days. */
export function rememberTheme(cookies: ResponseCookies, theme: Theme, env: PreferenceEnv): void {
  cookies.set(preferenceCookies(env).theme, theme, attributes(env));
}
