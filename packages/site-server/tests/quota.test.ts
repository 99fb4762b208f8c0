import { expect, it } from 'vitest';
import { Quota } from '../src/quota.ts';

it('a quota holds for each key and in all, until something is released', () => {
  const quota = new Quota({ max: 3, maxPerKey: 2 });
  expect(['a', 'a', 'a', 'b', 'c'].map((key) => quota.take(key))).toEqual([true, true, false, true, false]);
  expect(quota.isFull).toBe(true);
  quota.release('a');
  expect([quota.isFull, quota.take('c')]).toEqual([false, true]);
});

it('a key that has nothing takes no memory', () => {
  const quota = new Quota({ max: 3, maxPerKey: 2 });
  for (const key of ['a', 'a', 'b']) quota.take(key);
  for (const key of ['a', 'b']) quota.release(key);
  expect(quota.keys).toBe(1);
  quota.release('a');
  expect(quota.keys).toBe(0);
});
