/** Retries of failed calls to AWS, with exponential backoff and jitter. */
import { setTimeout } from 'node:timers/promises';
import { UpstreamError } from './upstream-error.ts';

/** Including the first attempt. */
const MAX_ATTEMPTS = 3;

const MAX_DELAY_MS = 5 * 60 * 1000;

const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

const CONNECTION_CODES = ['NetworkError', 'TimeoutError', 'RequestTimeout', 'RequestTimeoutException'];
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
  ...CONNECTION_CODES,
  ...THROTTLING_CODES,
  ...CLOCK_SKEW_CODES,
]);

/**
 * Milliseconds to wait after attempt number `attempt`, which counts from 1: 2^attempt * 100 plus a jitter of up to 100,
 * at most five minutes. `random` returns a number from 0 (inclusive) to 1 (exclusive).
 */
export function retryDelay(attempt: number, random: () => number = Math.random): number {
  return Math.min(2 ** attempt * 100 + random() * 100, MAX_DELAY_MS);
}

/** Whether AWS rejected a signature or its date. A signature with the corrected time may be accepted. */
export function isClockSkewError(error: unknown): boolean {
  return error instanceof UpstreamError && CLOCK_SKEW_CODES.has(error.code);
}

/**
 * Whether the same call may succeed later: after network errors, timeouts, throttling, server errors and clock skew.
 * Errors other than `UpstreamError` are bugs in this site and never retryable.
 */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof UpstreamError)) return false;
  return RETRYABLE_CODES.has(error.code) || RETRYABLE_STATUSES.has(error.details.status ?? 0);
}

export type RetryOptions = {
  /** Ends waiting and prevents further attempts. The call must observe it too. */
  signal?: AbortSignal;
  /** Whether to make another attempt after this error. Default: `isTransientError`. */
  isRetryable?: ((error: unknown) => boolean) | undefined;
  /** Called before waiting for the next attempt. */
  onRetry?: (error: unknown, attempt: number, delayMs: number) => void;
  /** Resolves after `ms` milliseconds, and rejects when the signal is aborted. */
  sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
  random?: (() => number) | undefined;
};

/**
 * Runs `call(attempt)` up to three times, with `attempt` counting from 1, and returns its first result. Waits as long as
 * the upstream's `Retry-After` says where that is longer than the backoff. Rejects with the error of the last attempt,
 * also when `signal` is aborted while waiting.
 */
export async function withRetries<T>(
  call: (attempt: number) => Promise<T>,
  {
    signal,
    isRetryable = isTransientError,
    onRetry,
    sleep = sleepUntilAborted,
    random = Math.random,
  }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(attempt);
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || signal?.aborted || !isRetryable(error)) throw error;
      const delay = Math.max(retryDelay(attempt, random), retryAfterMs(error));
      onRetry?.(error, attempt, delay);
      await sleep(delay, signal).catch(() => {
        throw error;
      });
    }
  }
}

function retryAfterMs(error: unknown): number {
  const ms = error instanceof UpstreamError ? (error.details.retryAfterMs ?? 0) : 0;
  return Math.min(ms, MAX_DELAY_MS);
}

function sleepUntilAborted(ms: number, signal?: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal });
}
