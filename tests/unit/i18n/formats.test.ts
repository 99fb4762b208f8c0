import { describe, expect, it } from 'vitest';
import { absoluteTime, formatNumber, relativeTime } from '~/i18n/formats.ts';
import { locales } from '~/i18n/locales.ts';
import { englishNumbers, numberSymbols } from '~/i18n/number-symbols.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('formatNumber', () => {
  const values = [0, 7, 10, 0.486, 1.1875, 2.25, 25.8, 999, 1000, 1234.5, 9999.999, 11_171.1, 80_808.96];
  const digits = [{}, { max: 0 }, { max: 1 }, { max: 2 }, { min: 2 }];

  it.each(locales)('writes numbers below 100,000 as Intl does in $name', ({ code, iso }) => {
    for (const { min, max } of digits) {
      const expected = new Intl.NumberFormat(iso, {
        ...(min === undefined ? {} : { minimumFractionDigits: min }),
        ...(max === undefined ? {} : { maximumFractionDigits: max }),
      });
      for (const value of values) {
        const written = formatNumber(value, numberSymbols(code), {
          ...(min && { min }),
          ...(max !== undefined && { max }),
        });
        expect(written).toBe(expected.format(value));
      }
    }
  });

  it('writes the digits 0 to 9 with the symbols of English', () => {
    const expected = new Intl.NumberFormat('ar-SA', { numberingSystem: 'latn' });
    expect(formatNumber(80_808.96, englishNumbers)).toBe(expected.format(80_808.96));
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
