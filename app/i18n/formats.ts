/**
 * Numbers and times in the conventions of a locale. Every function takes the locale as a parameter, so that the server
 * and the browser write the same text.
 */
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

/** How many digits a fraction has: by default up to three. */
export type FractionDigits = { min?: number; max?: number };

const numberFormats = new Map<string, Intl.NumberFormat>();

/** A number in the digits of the locale. `locale` is a BCP 47 tag; with `-u-nu-latn` it has the digits 0 to 9. */
export function formatNumber(
  value: number,
  locale: string,
  { min = 0, max = 3 }: FractionDigits = {},
): string {
  const key = `${locale} ${min} ${max}`;
  const options = { minimumFractionDigits: min, maximumFractionDigits: Math.max(min, max) };
  const format = numberFormats.get(key) ?? new Intl.NumberFormat(locale, options);
  numberFormats.set(key, format);
  return format.format(value);
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

/** "in 30 seconds" or "in 2 minutes": when a number of seconds is over. */
export function timeUntil(seconds: number, locale: string): string {
  const format = new Intl.RelativeTimeFormat(locale);
  return seconds < 90
    ? format.format(seconds, 'second')
    : format.format(Math.ceil((seconds * 1000) / MINUTE_MS), 'minute');
}
