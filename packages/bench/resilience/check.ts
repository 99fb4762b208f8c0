/** One property of the running site. */
export type Check = {
  name: string;
  /** What has to hold, in words. */
  expectation: string;
  run(): Promise<CheckResult>;
};

export type CheckResult = {
  /** What was counted. */
  result: string;
  passed: boolean;
};

/** Counts how often each value occurs: `200 × 9,998, 503 × 2`. */
export function tally(values: readonly (string | number)[]): string {
  const counts = new Map<string | number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => `${value} × ${count.toLocaleString('en')}`).join(', ') || 'none';
}
