import { describe, expect, it } from 'vitest';
import { readAwsError } from '../../../../app/server/resilience/aws-error.ts';
import {
  isClockSkewError,
  isRetryable,
  retryDelay,
  withRetries,
} from '../../../../app/server/resilience/retry.ts';
import { UpstreamError } from '../../../../app/server/resilience/upstream-error.ts';

const failure = (code: string, details: { status?: number; retryAfterMs?: number } = {}) =>
  new UpstreamError('user-pool', code, 'failed', details);

describe('the wait before another attempt', () => {
  it.each([
    [1, 0, 200],
    [1, 1, 300],
    [2, 0, 400],
    [2, 0.5, 450],
    [3, 0, 800],
    [11, 1, 204_900],
    [12, 0, 300_000],
    [100, 1, 300_000],
  ])('after %i attempts and a throw of %d is %d ms', (attempt, random, expected) => {
    expect(retryDelay(attempt, () => random)).toBe(expected);
  });
});

describe('what is worth another attempt', () => {
  it.each([429, 500, 502, 503, 504])('status %i is', (status) => {
    expect(isRetryable(failure('UnknownError', { status }))).toBe(true);
  });

  it.each([400, 401, 403, 404, 413, 501, 505])('status %i is not', (status) => {
    expect(isRetryable(failure('UnknownError', { status }))).toBe(false);
  });

  it.each(['NetworkError', 'TimeoutError', 'TooManyRequestsException', 'Throttling', 'RequestTimeTooSkewed'])(
    '%s is, whatever its status',
    (code) => expect(isRetryable(failure(code, { status: 400 }))).toBe(true),
  );

  it('a refusal is not, and neither is a mistake of our own', () => {
    expect(isRetryable(failure('NotAuthorizedException', { status: 400 }))).toBe(false);
    expect(isRetryable(new TypeError('x is not a function'))).toBe(false);
  });

  it('tells clock skew from the rest', () => {
    expect(isClockSkewError(failure('InvalidSignatureException', { status: 403 }))).toBe(true);
    expect(isClockSkewError(failure('TooManyRequestsException', { status: 400 }))).toBe(false);
  });
});

describe('withRetries', () => {
  const recordSleeps = () => {
    const slept: number[] = [];
    return { slept, sleep: async (ms: number) => void slept.push(ms), random: () => 0.5 };
  };

  it('makes three attempts with two waits, then gives up with the last failure', async () => {
    const { slept, ...options } = recordSleeps();
    const attempts: number[] = [];
    const trying = withRetries(async (attempt) => {
      attempts.push(attempt);
      throw failure(`Throttling`, { status: 400 + attempt });
    }, options);
    await expect(trying).rejects.toMatchObject({ details: { status: 403 } });
    expect(attempts).toEqual([1, 2, 3]);
    expect(slept).toEqual([250, 450]);
  });

  it('gives the first result and waits no more', async () => {
    const { slept, ...options } = recordSleeps();
    const result = await withRetries(async (attempt) => {
      if (attempt === 1) throw failure('NetworkError');
      return attempt;
    }, options);
    expect(result).toBe(2);
    expect(slept).toEqual([250]);
  });

  it('makes one attempt where another cannot help', async () => {
    const { slept, ...options } = recordSleeps();
    await expect(
      withRetries(() => Promise.reject(failure('NotAuthorizedException')), options),
    ).rejects.toThrow('failed');
    expect(slept).toEqual([]);
  });

  it('waits as long as the upstream asks for', async () => {
    const { slept, ...options } = recordSleeps();
    await expect(
      withRetries(() => Promise.reject(failure('SlowDown', { retryAfterMs: 2000 })), options),
    ).rejects.toThrow();
    expect(slept).toEqual([2000, 2000]);
  });

  it('stops waiting when the signal aborts, and tells what had failed', async () => {
    const leaving = new AbortController();
    let attempts = 0;
    const trying = withRetries(
      () => {
        attempts++;
        return Promise.reject(failure('NetworkError', { retryAfterMs: 60_000 }));
      },
      { signal: leaving.signal, onRetry: () => queueMicrotask(() => leaving.abort()) },
    );
    await expect(trying).rejects.toMatchObject({ code: 'NetworkError' });
    expect(attempts).toBe(1);
  });
});

describe('the name of an AWS error', () => {
  it.each([
    [{ 'x-amzn-errortype': 'NotAuthorizedException:' }, {}, 'NotAuthorizedException'],
    [{ 'x-amzn-errortype': 'Throttling:http://internal.amazon.com/' }, { __type: 'Other' }, 'Throttling'],
    [{}, { __type: 'com.amazonaws.cognito#UserNotFoundException' }, 'UserNotFoundException'],
    [{}, { code: 'SlowDown, please' }, 'SlowDown'],
    [{}, { __type: 42 }, 'UnknownError'],
    [{}, '<html>', 'UnknownError'],
    [{}, null, 'UnknownError'],
  ])('%j %j is %s', (headers, body, code) => {
    expect(readAwsError(new Headers(headers), body).code).toBe(code);
  });
});
