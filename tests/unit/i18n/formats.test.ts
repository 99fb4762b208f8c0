import { describe, expect, it } from 'vitest';
import { absoluteTime, formatNumber, relativeTime } from '~/i18n/formats.ts';
import { locales } from '~/i18n/locales.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('formatNumber', () => {
  it.each([
    ['en-US', {}, '80,808.96'],
    ['en-US', { max: 0 }, '80,809'],
    ['de-DE', { min: 3 }, '80.808,960'],
    ['fr-FR', {}, '80\u202f808,96'],
    ['ar-SA', {}, '٨٠٬٨٠٨٫٩٦'],
    ['ar-SA-u-nu-latn', {}, '80,808.96'],
  ])('writes a number in %s with the digits %o as %s', (locale, digits, text) => {
    expect(formatNumber(80_808.96, locale, digits)).toBe(text);
  });
});

describe('relativeTime', () => {
  it.each([
    [-3 * MINUTE, 'now'],
    [0, 'now'],
    [59 * SECOND, 'now'],
    [MINUTE, '1 minute ago'],
    [59 * MINUTE + 59 * SECOND, '59 minutes ago'],
    [HOUR, '1 hour ago'],
    [23 * HOUR, '23 hours ago'],
    [DAY, 'yesterday'],
    [6 * DAY, '6 days ago'],
  ])('describes a time %i ms ago as "%s"', (elapsed, text) => {
    expect(relativeTime(NOW - elapsed, NOW, 'en-US')).toBe(text);
  });

  it('returns the date after a week', () => {
    expect(relativeTime(NOW - 7 * DAY, NOW, 'en-US')).toBe(absoluteTime(NOW - 7 * DAY, 'en-US'));
  });
});

describe('absoluteTime', () => {
  it('includes the name of the time zone UTC', () => {
    expect(absoluteTime(NOW, 'en-US', 'UTC')).toMatch(/^Nov 21, 2026, 10:00\sAM UTC$/);
  });

  it.each(locales)('uses the Gregorian calendar in $name', ({ iso }) => {
    const year = new Intl.NumberFormat(iso, { useGrouping: false }).format(2026);
    expect(absoluteTime(NOW, iso, 'UTC')).toContain(year);
  });
});
