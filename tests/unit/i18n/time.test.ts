import { describe, expect, it } from 'vitest';
import { locales } from '~/i18n/locales.ts';
import { absoluteTime, relativeTime } from '~/i18n/time.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a moment in the reader’s words', () => {
  it.each([
    [0, 'now'],
    [59 * SECOND, 'now'],
    [MINUTE, '1 minute ago'],
    [59 * MINUTE + 59 * SECOND, '59 minutes ago'],
    [HOUR, '1 hour ago'],
    [23 * HOUR, '23 hours ago'],
    [DAY, 'yesterday'],
    [6 * DAY, '6 days ago'],
  ])('%i ms later is "%s"', (elapsed, words) => {
    expect(relativeTime(NOW - elapsed, NOW, 'en-US')).toBe(words);
  });

  it('is the date after a week', () => {
    expect(relativeTime(NOW - 7 * DAY, NOW, 'en-US')).toBe(absoluteTime(NOW - 7 * DAY, 'en-US'));
  });

  it('is now for a clock that is behind', () => {
    expect(relativeTime(NOW + 3 * MINUTE, NOW, 'en-US')).toBe('now');
  });
});

describe('a date as the server writes it', () => {
  it('names its time zone', () => {
    expect(absoluteTime(NOW, 'en-US', 'UTC')).toMatch(/^Nov 21, 2026, 10:00\sAM UTC$/);
  });

  it.each(locales)('is of the same calendar in $name', ({ iso }) => {
    const year = new Intl.NumberFormat(iso, { useGrouping: false }).format(2026);
    expect(absoluteTime(NOW, iso, 'UTC')).toContain(year);
  });
});
