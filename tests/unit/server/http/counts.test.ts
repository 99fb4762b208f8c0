import { expect, it } from 'vitest';
import { Counts } from '../../../../app/server/http/counts.ts';

it('a key is counted while it has any, and takes no memory afterwards', () => {
  const counts = new Counts();
  for (const key of ['a', 'b', 'a']) counts.add(key);
  expect([counts.get('a'), counts.get('b'), counts.get('c'), counts.size]).toEqual([2, 1, 0, 2]);
  counts.remove('a');
  expect([counts.get('a'), counts.size]).toEqual([1, 2]);
  counts.remove('a');
  expect([counts.get('a'), counts.size]).toEqual([0, 1]);
  // One that has none stays at 0.
  counts.remove('a');
  counts.add('a');
  expect(counts.get('a')).toBe(1);
});
