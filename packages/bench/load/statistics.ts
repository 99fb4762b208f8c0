/** Median and range of several measurements. */

export type Spread = { median: number; min: number; max: number };

/** Median, smallest and largest of at least one value. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const [min = Number.NaN] = sorted;
  return { median: sorted[Math.floor(sorted.length / 2)] ?? min, min, max: sorted.at(-1) ?? min };
}

/** `0.78 (0.74–0.81)`. */
export function format({ median, min, max }: Spread, digits: number, unit = ''): string {
  const [m, low, high] = [median, min, max].map((value) => value.toFixed(digits));
  return `${m}${unit} (${low}–${high})`;
}
