import type { Clock } from './exchange.ts';

export type AttemptLimit = {
  /** Counts one attempt at `key`; false when there were too many in the window before it. */
  take(key: string): boolean;
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
  return {
    take(key) {
      const recent = (attempts.get(key) ?? []).filter((at) => clock() - at < windowMs);
      attempts.set(key, recent);
      if (recent.length >= max) return false;
      recent.push(clock());
      return true;
    },
    forget: (key) => void attempts.delete(key),
    clear: () => attempts.clear(),
  };
}
