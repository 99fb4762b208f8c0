import { describe, expect, it } from 'vitest';
import { spread } from '../../load/statistics.ts';

describe('the statistics of several rounds', () => {
  it('are the median and the range', () => {
    expect(spread([5, 1, 9, 2, 4])).toEqual({ median: 4, min: 1, max: 9 });
  });
});
