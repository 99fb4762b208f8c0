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

const numberFormats = new Map<string, Intl.NumberFormat>();

/** A number formatter, cached because creating one takes a hundred times as long as using it. */
export function numberFormat(locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const cached = numberFormats.get(key);
  if (cached) return cached;
  const format = new Intl.NumberFormat(locale, options);
  numberFormats.set(key, format);
  return format;
}

/** Date and time of day, in the time zone of the machine by default. With `UTC` the text includes the zone's name. */
export function absoluteTime(time: number, locale: string, timeZone?: 'UTC'): string {
  return new Intl.DateTimeFormat(locale, {
    calendar: 'gregory',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    ...(timeZone ? { timeZone, timeZoneName: 'short' } : {}),
  }).format(time);
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
