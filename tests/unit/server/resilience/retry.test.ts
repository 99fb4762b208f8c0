import { describe, expect, it } from 'vitest';
import {
  isClockSkewError,
  isTransientError,
  retryDelay,
  withRetries,
} from '../../../../app/server/resilience/retry.ts';
import { UpstreamError } from '../../../../app/server/resilience/upstream-error.ts';

const failure = (code: string, details: { status?: number; retryAfterMs?: number } = {}) =>
  new UpstreamError('user-pool', code, 'failed', details);

describe('retryDelay', () => {
  it.each([
    [1, 0, 200],
    [1, 1, 300],
    [2, 0, 400],
    [2, 0.5, 450],
    [3, 0, 800],
    [11, 1, 204_900],
    [12, 0, 300_000],
    [100, 1, 300_000],
  ])('after attempt %i with the random number %d is %d ms', (attempt, random, expected) => {
    expect(retryDelay(attempt, () => random)).toBe(expected);
  });
});

describe('isTransientError', () => {
  it.each([429, 500, 502, 503, 504])('is true for status %i', (status) => {
    expect(isTransientError(failure('UnknownError', { status }))).toBe(true);
  });

  it.each([400, 401, 403, 404, 413, 501, 505])('is false for status %i', (status) => {
    expect(isTransientError(failure('UnknownError', { status }))).toBe(false);
  });

  it.each(['NetworkError', 'TimeoutError', 'TooManyRequestsException', 'Throttling', 'RequestTimeTooSkewed'])(
    'is true for %s with any status',
    (code) => expect(isTransientError(failure(code, { status: 400 }))).toBe(true),
  );

  it('is false for a rejection and for errors other than UpstreamError', () => {
    expect(isTransientError(failure('NotAuthorizedException', { status: 400 }))).toBe(false);
    expect(isTransientError(new TypeError('x is not a function'))).toBe(false);
  });

  it('is distinct from isClockSkewError', () => {
    expect(isClockSkewError(failure('InvalidSignatureException', { status: 403 }))).toBe(true);
    expect(isClockSkewError(failure('TooManyRequestsException', { status: 400 }))).toBe(false);
  });
});

describe('withRetries', () => {
  const recordSleeps = () => {
    const slept: number[] = [];
    return { slept, sleep: async (ms: number) => void slept.push(ms), random: () => 0.5 };
  };

  it('makes three attempts with two waits, then rejects with the last error', async () => {
    const { slept, ...options } = recordSleeps();
    const attempts: number[] = [];
    const result = withRetries(async (attempt) => {
      attempts.push(attempt);
      throw failure(`Throttling`, { status: 400 + attempt });
    }, options);
    await expect(result).rejects.toMatchObject({ details: { status: 403 } });
    expect(attempts).toEqual([1, 2, 3]);
    expect(slept).toEqual([250, 450]);
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

  it("waits as long as the upstream's Retry-After says", async () => {
    const { slept, ...options } = recordSleeps();
    await expect(
      withRetries(() => Promise.reject(failure('SlowDown', { retryAfterMs: 2000 })), options),
    ).rejects.toThrow();
    expect(slept).toEqual([2000, 2000]);
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
