import { describe, expect, it } from 'vitest';
import { isClockSkewError, isTransientError, retryDelay, withRetries } from '../src/retry.ts';
import { isUnavailable, UpstreamError } from '../src/upstream-error.ts';

const failure = (code: string, details: { status?: number; retryAfterMs?: number } = {}) =>
  new UpstreamError('user-pool', code, 'failed', details);

const clockSkewCodes = [
  ...['AuthFailure', 'BadRequestException', 'InvalidSignatureException', 'SignatureDoesNotMatch'],
  ...['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed'],
];

it.each([
  [1, 0, 200],
  [2, 0.5, 450],
  [11, 1, 204_900],
  [12, 0, 300_000],
])('retryDelay after attempt %i with the random number %d is %d ms', (attempt, random, expected) => {
  expect(retryDelay(attempt, () => random)).toBe(expected);
});

describe('isTransientError', () => {
  it.each([429, 500, 502, 503, 504])('is true for status %i', (status) => {
    expect(isTransientError(failure('UnknownError', { status }))).toBe(true);
  });

  it.each([400, 501])('is false for status %i', (status) => {
    expect(isTransientError(failure('UnknownError', { status }))).toBe(false);
  });

  it.each([
    ...['NetworkError', 'TimeoutError', 'RequestTimeout', 'RequestTimeoutException'],
    ...['BandwidthLimitExceeded', 'LimitExceededException', 'ProvisionedThroughputExceededException'],
    ...['EC2ThrottledException', 'RequestThrottled', 'RequestThrottledException', 'ThrottledException'],
    ...['Throttling', 'ThrottlingException', 'TooManyRequestsException', 'SlowDown'],
    ...['PriorRequestNotComplete', 'RequestLimitExceeded'],
    ...clockSkewCodes,
  ])('is true for %s with any status', (code) => {
    expect(isTransientError(failure(code, { status: 400 }))).toBe(true);
    expect(isTransientError(failure(code))).toBe(true);
  });

  it('is false for a rejection and for errors other than UpstreamError', () => {
    expect(isTransientError(failure('NotAuthorizedException', { status: 400 }))).toBe(false);
    expect(isTransientError(failure('NotAuthorizedException'))).toBe(false);
    expect(isTransientError(failure(''))).toBe(false);
    for (const error of [new TypeError('x is not a function'), { code: 'Throttling', details: {} }, null]) {
      expect(isTransientError(error)).toBe(false);
    }
  });
});

it('isClockSkewError is true for a rejected signature, and false for any other error', () => {
  for (const code of clockSkewCodes)
    expect(isClockSkewError(failure(code, { status: 403 })), code).toBe(true);
  const others = [failure('TooManyRequestsException'), failure(''), { code: 'RequestExpired', details: {} }];
  for (const error of others) expect(isClockSkewError(error)).toBe(false);
});

it('isUnavailable is true when the upstream does not work, and false when it rejects the call', () => {
  for (const error of [
    ...[failure('NetworkError'), failure('TimeoutError'), failure('InvalidResponse', { status: 200 })],
    failure('UnknownError', { status: 500 }),
  ]) {
    expect(isUnavailable(error), error.code).toBe(true);
  }
  for (const error of [failure('UnknownError', { status: 499 }), failure('UnknownError'), failure('')]) {
    expect(isUnavailable(error), error.code).toBe(false);
  }
});

it('an UpstreamError has its own name and keeps its cause', () => {
  const cause = new Error('reset');
  const error = new UpstreamError('user-pool', 'NetworkError', 'failed', { cause });
  expect([error.name, error.cause, `${error}`]).toEqual(['UpstreamError', cause, 'UpstreamError: failed']);
  expect(failure('NetworkError').cause).toBeUndefined();
});

describe('withRetries', () => {
  const recordSleeps = () => {
    const slept: number[] = [];
    return { slept, sleep: async (ms: number) => void slept.push(ms), random: () => 0.5 };
  };

  it('makes three attempts with two waits, reports each retry, then rejects with the last error', async () => {
    const { slept, ...options } = recordSleeps();
    const attempts: number[] = [];
    const retries: unknown[] = [];
    const failing = async (attempt: number) => {
      attempts.push(attempt);
      throw failure(`Throttling`, { status: 400 + attempt });
    };
    const onRetry = (error: unknown, attempt: number, delayMs: number) =>
      retries.push([error instanceof UpstreamError && error.details.status, attempt, delayMs]);
    const result = withRetries(failing, { ...options, onRetry });
    await expect(result).rejects.toMatchObject({ details: { status: 403 } });
    expect(attempts).toEqual([1, 2, 3]);
    expect(slept).toEqual([250, 450]);
    expect(retries).toEqual([
      [401, 1, 250],
      [402, 2, 450],
    ]);
  });

  it('returns the first result without waiting again', async () => {
    const { slept, ...options } = recordSleeps();
    const result = await withRetries(async (attempt) => {
      if (attempt === 1) throw failure('NetworkError');
      return attempt;
    }, options);
    expect(result).toBe(2);
    expect(slept).toEqual([250]);
  });

  it('makes one attempt when the error is not transient', async () => {
    const { slept, ...options } = recordSleeps();
    await expect(
      withRetries(() => Promise.reject(failure('NotAuthorizedException')), options),
    ).rejects.toThrow('failed');
    expect(slept).toEqual([]);
  });

  it('waits as long as Retry-After says, but not less than the backoff nor more than five minutes', async () => {
    for (const [retryAfterMs, expected] of [
      [2000, [2000, 2000]],
      [1, [250, 450]],
      [300_000, [300_000, 300_000]],
      [86_400_000, [300_000, 300_000]],
    ] as const) {
      const { slept, ...options } = recordSleeps();
      const failing = () => Promise.reject(failure('SlowDown', { retryAfterMs }));
      await expect(withRetries(failing, options)).rejects.toThrow();
      expect(slept).toEqual(expected);
    }
  });

  it('follows another rule about what is retryable, also for other errors', async () => {
    const { slept, ...options } = recordSleeps();
    let attempts = 0;
    const failing = () => {
      attempts += 1;
      return Promise.reject(new TypeError('not an UpstreamError'));
    };
    await expect(withRetries(failing, { ...options, isRetryable: () => true })).rejects.toThrow(TypeError);
    expect([attempts, slept]).toEqual([3, [250, 450]]);
  });

  it('makes no further attempt when the signal was aborted during the call', async () => {
    const controller = new AbortController();
    const { slept, ...options } = recordSleeps();
    const failing = () => {
      controller.abort();
      return Promise.reject(failure('NetworkError'));
    };
    await expect(withRetries(failing, { ...options, signal: controller.signal })).rejects.toThrow('failed');
    expect(slept).toEqual([]);
  });

  it('waits in real time unless told otherwise', async () => {
    let attempts = 0;
    const startedAt = performance.now();
    await withRetries(async () => {
      attempts += 1;
      if (attempts === 1) throw failure('NetworkError');
    });
    // A timer may fire a millisecond early.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(199);
  });

  it('stops waiting when the signal aborts, and rejects with the last error', async () => {
    const controller = new AbortController();
    let attempts = 0;
    const result = withRetries(
      () => {
        attempts++;
        return Promise.reject(failure('NetworkError', { retryAfterMs: 60_000 }));
      },
      { signal: controller.signal, onRetry: () => queueMicrotask(() => controller.abort()) },
    );
    await expect(result).rejects.toMatchObject({ code: 'NetworkError' });
    expect(attempts).toBe(1);
  });
});
