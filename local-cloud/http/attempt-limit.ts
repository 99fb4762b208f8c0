import type { Clock } from './exchange.ts';

export type AttemptLimit = {
  /** Counts one attempt at `key`; false when there were too many in the window before it. */
  take(key: string): boolean;
  /** Whether the next attempt at `key` would be one too many. */
  isSpent(key: string): boolean;
  forget(key: string): void;
  clear(): void;
};

/** At most `max` attempts per key in any `windowMs`. */
export function createAttemptLimit({
  clock,
  max,
  windowMs,
}: {
  clock: Clock;
  max: number;
  windowMs: number;
}): AttemptLimit {
  const attempts = new Map<string, number[]>();
  const recent = (key: string) => (attempts.get(key) ?? []).filter((at) => clock() - at < windowMs);
  return {
    take(key) {
      const before = recent(key);
      if (before.length >= max) return false;
      attempts.set(key, [...before, clock()]);
      return true;
    },
    isSpent: (key) => recent(key).length >= max,
    forget: (key) => void attempts.delete(key),
    clear: () => attempts.clear(),
  };
}
