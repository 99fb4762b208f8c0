/** Pseudorandom choices that are the same for the same seeds. */

export type SeededRandom = {
  /** Returns an integer from 0 up to but not including `limit`. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
  /** Returns true with the probability 1 in `times`. */
  oneIn(times: number): boolean;
};

/** Creates a generator from two seeds (Mulberry32). */
export function createSeededRandom(seed: number, index: number): SeededRandom {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError('There are no items to pick from');
      return item;
    },
  };
}
