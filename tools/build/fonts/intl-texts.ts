/** Every kind of text that `Intl` writes on the site, for the characters that it needs. */

const HOURS_PER_DAY = 24;
const MAX_COUNT = 60;

/** Dates of all months and weekdays at all hours, numbers, units, relative times and lists in a language. */
export function intlTexts(iso: string): string[] {
  return [...dates(iso), ...numbers(iso), ...relativeTimes(iso), ...lists(iso)];
}

function dates(iso: string): string[] {
  const zone = { calendar: 'gregory', timeZone: 'UTC' } as const;
  const formats = [
    new Intl.DateTimeFormat(iso, { ...zone, dateStyle: 'full', timeStyle: 'short' }),
    new Intl.DateTimeFormat(iso, { ...zone, dateStyle: 'long', timeStyle: 'long' }),
    new Intl.DateTimeFormat(iso, { ...zone, dateStyle: 'medium', timeStyle: 'short' }),
  ];
  const days = Array.from({ length: 12 * 7 }, (_, index) =>
    Date.UTC(2026, index % 12, 1 + index, index % HOURS_PER_DAY),
  );
  return formats.flatMap((format) => days.map((day) => format.format(day)));
}

function numbers(iso: string): string[] {
  const options: Intl.NumberFormatOptions[] = [
    { minimumFractionDigits: 2 },
    { style: 'percent', maximumFractionDigits: 1 },
    { style: 'unit', unit: 'kilometer-per-hour' },
    { style: 'unit', unit: 'millisecond' },
    { style: 'unit', unit: 'second' },
  ];
  const values = [1_234_567.89, -0.5, 1_023_456_789];
  return options.flatMap((option) => values.map((value) => new Intl.NumberFormat(iso, option).format(value)));
}

function relativeTimes(iso: string): string[] {
  const format = new Intl.RelativeTimeFormat(iso, { numeric: 'auto' });
  const counts = Array.from({ length: MAX_COUNT }, (_, index) => -index);
  return (['second', 'minute', 'hour', 'day'] as const).flatMap((unit) =>
    counts.map((count) => format.format(count, unit)),
  );
}

function lists(iso: string): string[] {
  return (['conjunction', 'disjunction'] as const).map((type) =>
    new Intl.ListFormat(iso, { type }).format(['a', 'b', 'c']),
  );
}
