import { useLocation } from '@remix-run/react';
import { numberFormat } from './formats.ts';
import { type Locale, localeOfPath } from './locales.ts';

/** The locale of the page that is shown. */
export function useLocale(): Locale {
  return localeOfPath(useLocation().pathname);
}

/** Writes numbers as the language of the page does. */
export function useNumberFormat(options?: Intl.NumberFormatOptions): Intl.NumberFormat {
  return numberFormat(useLocale().iso, options);
}
