/** Moments in the reader's own words. The locale and the time zone are always said, so that two machines agree. Pure. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** From here on a date says more than a distance. */
const MAX_RELATIVE = 7 * DAY;

const units = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const;

/** Date and time of day. `timeZone` left out is the reader's own; it is named only where it may not be theirs. */
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
 * "2 hours ago" up to a week, then the date. A moment that is still to come by the reader's clock is now: clocks
 * differ by seconds.
 */
export function relativeTime(time: number, now: number, locale: string): string {
  const elapsed = Math.max(now - time, 0);
  if (elapsed >= MAX_RELATIVE) return absoluteTime(time, locale);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const unit = units.find(([, length]) => elapsed >= length);
  return unit ? format.format(-Math.floor(elapsed / unit[1]), unit[0]) : format.format(0, 'second');
}
