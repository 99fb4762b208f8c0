/**
 * Numbers and times in the conventions of a locale. Every function takes the locale as a parameter, so that the server
 * and the browser write the same text.
 */
import type { NumberSymbols } from './number-symbols.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Older times are written as a date. */
const MAX_RELATIVE_MS = 7 * DAY_MS;

const relativeUnits = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
] as const;

/** How many digits a fraction has at least and at most. */
export type FractionDigits = { min?: number; max?: number };

/**
 * A number of at least 0 and below 100,000, with up to three decimals by default. `Intl.NumberFormat` writes the same, but
 * the first one that a document creates takes some 30 ms, and hydration would wait for it.
 */
export function formatNumber(
  value: number,
  { group, groupedFrom, decimal, zero }: NumberSymbols,
  { min = 0, max = Math.max(min, 3) }: FractionDigits = {},
): string {
  const [integer = '', decimals = ''] = value.toFixed(max).split('.');
  let length = decimals.length;
  while (length > min && decimals[length - 1] === '0') length -= 1;
  const grouped =
    integer.length < groupedFrom ? integer : `${integer.slice(0, -3)}${group}${integer.slice(-3)}`;
  const text = length === 0 ? grouped : grouped + decimal + decimals.slice(0, length);
  const first = zero.charCodeAt(0);
  return text.replace(/\d/g, (digit) => String.fromCharCode(first + Number(digit)));
}

const timeFormats = new Map<string, Intl.DateTimeFormat>();

/** Date and time of day, in the time zone of the machine by default. With `UTC` the text includes the zone's name. */
export function absoluteTime(time: number, locale: string, timeZone?: 'UTC'): string {
  const key = `${locale} ${timeZone}`;
  const format =
    timeFormats.get(key) ??
    new Intl.DateTimeFormat(locale, {
      calendar: 'gregory',
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      ...(timeZone ? { timeZone, timeZoneName: 'short' } : {}),
    });
  timeFormats.set(key, format);
  return format.format(time);
}

/**
 * "2 hours ago" for times of the last week, and the date for older times. A time in the future counts as now, because
 * the clocks of the server and the browser differ by seconds.
 */
export function relativeTime(time: number, now: number, locale: string): string {
  const elapsed = Math.max(now - time, 0);
  if (elapsed >= MAX_RELATIVE_MS) return absoluteTime(time, locale);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const unit = relativeUnits.find(([, length]) => elapsed >= length);
  return unit ? format.format(-Math.floor(elapsed / unit[1]), unit[0]) : format.format(0, 'second');
}
