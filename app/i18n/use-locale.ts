import { useLocation } from '@remix-run/react';
import { type FractionDigits, formatNumber } from './formats.ts';
import { type Locale, localeOfPath } from './locales.ts';

/** The locale of the current page. */
export function useLocale(): Locale {
  return localeOfPath(useLocation().pathname);
}

/** Writes numbers as the locale of the current page does. */
export function useNumberFormat(): (value: number, digits?: FractionDigits) => string {
  const { iso } = useLocale();
  return (value, digits) => formatNumber(value, iso, digits);
}
