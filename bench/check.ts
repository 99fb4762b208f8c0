/** One promise of the site's, checked while it runs: what was counted, and whether that is what was promised. */
export type Check = {
  name: string;
  /** What was promised, in words. */
  promise: string;
  run(): Promise<{ figure: string; passed: boolean }>;
};

/** How often each of `values` occurs, as text: `200 × 9,998, 503 × 2`. */
export function tally(values: readonly (string | number)[]): string {
  const counts = new Map<string | number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return (
    [...counts].map(([value, count]) => `${value} × ${count.toLocaleString('en')}`).join(', ') || 'nothing'
  );
}
