/** A bucket that refills at a steady rate. `burst` is its capacity, `perSecond` how many tokens are added per second. */
export type TokenBucket = { burst: number; perSecond: number };

/** `retryAfterMs` is 0 if there was a token, else the milliseconds until there is one. */
export type ConsumeResult = { retryAfterMs: number };

/**
 * Consumes a token by the generic cell rate algorithm (ITU-T I.371 annex A). A bucket's state is one number: the time at
 * which it is full again, in milliseconds, 0 for a new one. The returned `fullAt` is null if the bucket was empty.
 */
export function consumeToken(
  fullAt: number,
  now: number,
  { burst, perSecond }: TokenBucket,
): ConsumeResult & { fullAt: number | null } {
  const interval = 1000 / perSecond;
  const next = Math.max(fullAt, now) + interval;
  const tooSoon = next - now - burst * interval;
  // Floating-point errors stay below a thousandth of a millisecond.
  if (tooSoon > 0.001) return { retryAfterMs: tooSoon, fullAt: null };
  return { retryAfterMs: 0, fullAt: next };
}
