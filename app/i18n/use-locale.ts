import { useLocation } from '@remix-run/react';
import { numberFormat } from './formats.ts';
import { type Locale, localeOfPath } from './locales.ts';

/** The locale of the current page. */
export function useLocale(): Locale {
  return localeOfPath(useLocation().pathname);
}

/** A number formatter for the locale of the current page. */
export function useNumberFormat(options?: Intl.NumberFormatOptions): Intl.NumberFormat {
  return numberFormat(useLocale().iso, options);
}
