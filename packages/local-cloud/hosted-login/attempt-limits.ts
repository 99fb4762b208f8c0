import type { Clock } from '../http/exchange.ts';

const HOUR_MS = 60 * 60 * 1000;

type AttemptLimit = {
  /** Counts one attempt for `key`. Returns false, and counts nothing, when the limit is already reached. */
  consume(key: string): boolean;
  /** Returns whether the limit for `key` is reached. */
  isReached(key: string): boolean;
  /** Deletes the counted attempts for `key`. */
  reset(key: string): void;
  /** Deletes all counted attempts. */
  clear(): void;
};

/** The limits of the hosted login. They apply to each email address. */
export type AttemptLimits = {
  /** Wrong passwords. */
  signIn: AttemptLimit;
  /** Sign-ups. Each one sends an email. */
  signUp: AttemptLimit;
  /** Codes sent again, and codes sent to reset a password. */
  resend: AttemptLimit;
  /** Codes entered. Sign-up codes and reset codes are counted separately. */
  code: AttemptLimit;
};

/**
 * Creates the limits with Cognito's numbers, each for one hour except that of wrong passwords, for 15 minutes.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/limits.html
 */
export function createAttemptLimits(clock: Clock): AttemptLimits {
  return {
    signIn: createAttemptLimit({ clock, max: 10, windowMs: HOUR_MS / 4 }),
    signUp: createAttemptLimit({ clock, max: 5, windowMs: HOUR_MS }),
    resend: createAttemptLimit({ clock, max: 5, windowMs: HOUR_MS }),
    code: createAttemptLimit({ clock, max: 15, windowMs: HOUR_MS }),
  };
}

/** Allows at most `max` attempts per key within a sliding window. */
function createAttemptLimit(options: { clock: Clock; max: number; windowMs: number }): AttemptLimit {
  const { clock, max, windowMs } = options;
  const attempts = new Map<string, number[]>();
  const recentAttempts = (key: string) => (attempts.get(key) ?? []).filter((at) => clock() - at < windowMs);
  return {
    consume(key) {
      const recent = recentAttempts(key);
      if (recent.length >= max) return false;
      attempts.set(key, [...recent, clock()]);
      return true;
    },
    isReached: (key) => recentAttempts(key).length >= max,
    reset: (key) => void attempts.delete(key),
    clear: () => attempts.clear(),
  };
}
