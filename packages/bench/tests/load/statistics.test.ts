import { describe, expect, it } from 'vitest';
import { format, spread } from '../../load/statistics.ts';

describe('the statistics of several rounds', () => {
  it('are the median and the range', () => {
    expect(spread([5, 1, 9, 2, 4])).toEqual({ median: 4, min: 1, max: 9 });
  });

  it('are formatted with a unit after the median', () => {
    expect(format({ median: 16.25, min: 15, max: 22.5 }, 1, ' µs')).toBe('16.3 µs (15.0–22.5)');
  });
});
