/** The offer to read a page in the language that its visitor prefers. */

import type { CookieSource } from '@tenfold/cognito-session';
import type { Locale } from '../../i18n/locales.ts';
import { chosenLocale, namedLocale } from './locale-detection.ts';
import { isLanguageOfferDismissed } from './preferences.ts';

/**
 * Returns the language to offer on a page in the locale `current`: that of the `locale` cookie, else the best that
 * `Accept-Language` names. Returns null if the page is in that language, if there is none, or if the visitor has
 * dismissed the offer.
 */
export function offeredLocale(current: Locale, request: CookieSource): Locale | null {
  const preferred = chosenLocale(request) ?? namedLocale(request.headers);
  if (!preferred || preferred === current) return null;
  return isLanguageOfferDismissed(request) ? null : preferred;
}
