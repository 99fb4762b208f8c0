/** Examples of dates, numbers and lists in the conventions of a locale. Time and time zone are constant. */
import type { TFunction } from 'i18next';
import type { Locale } from '../../i18n/locales.ts';

const TIME = Date.UTC(2026, 2, 14, 15, 9, 26);
const NUMBER = 1_234_567.89;

export type SampleName = 'date' | 'time' | 'number' | 'percent' | 'unit' | 'relative' | 'list' | 'order';

/**
 * The examples, formatted by `Intl`. JavaScript engines contain different versions of the locale data, so the samples
 * are part of the loader's data and are not formatted again during hydration. `t` must have the page's translations in
 * the same locale.
 */
export function formatSamples({ iso }: Locale, t: TFunction): Record<SampleName, string> {
  const dates = { calendar: 'gregory', timeZone: 'UTC' } as const;
  const words = (['first', 'second', 'third'] as const).map((key) =>
    t(`numerals.words.${key}`, { ns: 'typography-demo' }),
  );
  return {
    date: new Intl.DateTimeFormat(iso, { ...dates, dateStyle: 'full' }).format(TIME),
    time: new Intl.DateTimeFormat(iso, { ...dates, timeStyle: 'short' }).format(TIME),
    number: new Intl.NumberFormat(iso).format(NUMBER),
    percent: new Intl.NumberFormat(iso, { style: 'percent', maximumFractionDigits: 1 }).format(0.425),
    unit: new Intl.NumberFormat(iso, { style: 'unit', unit: 'kilometer-per-hour' }).format(88),
    relative: new Intl.RelativeTimeFormat(iso, { numeric: 'auto' }).format(-1, 'day'),
    list: new Intl.ListFormat(iso).format(words),
    order: words.sort(new Intl.Collator(iso).compare).join(' < '),
  };
}
