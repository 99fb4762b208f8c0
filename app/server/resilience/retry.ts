/** When a failed call to AWS is worth another one, and how long to wait before it. */
import type { CallSignal } from './deadline.ts';
import { UpstreamError } from './upstream-error.ts';

/** How often one call is tried in all, the first time included. */
export const MAX_ATTEMPTS = 3;

const MAX_DELAY_MS = 5 * 60 * 1000;

const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

const NETWORK_CODES = ['NetworkError', 'ERR_NETWORK'];
const TIMEOUT_CODES = ['TimeoutError', 'RequestTimeout', 'RequestTimeoutException'];
const THROTTLING_CODES = [
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
];
const CLOCK_SKEW_CODES: ReadonlySet<string> = new Set([
  'AuthFailure',
  'BadRequestException',
  'InvalidSignatureException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
]);
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  ...NETWORK_CODES,
  ...TIMEOUT_CODES,
  ...THROTTLING_CODES,
  ...CLOCK_SKEW_CODES,
]);

/**
 * Milliseconds to wait after `attempt` attempts (1 after the first): 2^attempt * 100 plus up to 100 of jitter, and
 * never more than five minutes. `random` is from 0 up to 1.
 */
export function retryDelay(attempt: number, random: () => number = Math.random): number {
  return Math.min(2 ** attempt * 100 + random() * 100, MAX_DELAY_MS);
}

/** Whether AWS refused a signature or its date, which a signature made with the corrected clock may mend. */
export function isClockSkewError(error: unknown): boolean {
  return error instanceof UpstreamError && CLOCK_SKEW_CODES.has(error.code);
}

/**
 * Whether the same call may succeed a moment later: lost connections, time-outs, throttling, a failing upstream and
 * clock skew. Anything but an `UpstreamError` is a mistake of ours, which no repetition mends.
 */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof UpstreamError)) return false;
  return RETRYABLE_CODES.has(error.code) || RETRYABLE_STATUSES.has(error.details.status ?? 0);
}

export type RetryOptions = {
  /** Ends the waiting, and with it the trying. Hand it to the call too. */
  signal?: CallSignal;
  /** Which failures deserve another attempt; `isRetryable` when left out. */
  retryable?: (error: unknown) => boolean;
  /** Called before each wait. */
  onRetry?: (error: unknown, attempt: number, delayMs: number) => void;
  /** Waits that many milliseconds, and rejects when the signal aborts. */
  sleep?: ((ms: number, signal?: CallSignal) => Promise<void>) | undefined;
  random?: (() => number) | undefined;
};

/**
 * Calls `call(attempt)` up to three times, `attempt` counting from 1, and gives its first result. A `Retry-After`
 * that is longer than the schedule is honoured. Rejects with what the last attempt failed with, also when `signal`
 * cut the waiting short.
 */
export async function withRetries<T>(
  call: (attempt: number) => Promise<T>,
  { signal, retryable = isRetryable, onRetry, sleep = sleepFor, random = Math.random }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(attempt);
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || signal?.aborted || !retryable(error)) throw error;
      const delay = Math.max(retryDelay(attempt, random), retryAfter(error));
      onRetry?.(error, attempt, delay);
      await sleep(delay, signal).catch(() => {
        throw error;
      });
    }
  }
}

function retryAfter(error: unknown): number {
  const asked = error instanceof UpstreamError ? (error.details.retryAfterMs ?? 0) : 0;
  return Math.min(asked, MAX_DELAY_MS);
}

function sleepFor(ms: number, signal?: CallSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave);
      resolve();
    }, ms);
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave, { once: true });
  });
}
