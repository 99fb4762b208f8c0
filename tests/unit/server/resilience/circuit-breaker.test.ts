import { describe, expect, it } from 'vitest';
import { createLog } from '../../../../app/server/observability/log.ts';
import { createCircuitBreaker } from '../../../../app/server/resilience/circuit-breaker.ts';
import { UpstreamError } from '../../../../app/server/resilience/upstream-error.ts';

const log = createLog('silent');

function openBreaker() {
  const time = { now: 0 };
  const breaker = createCircuitBreaker('data-api', () => time.now, log);
  const fail = (error: unknown) =>
    breaker.run(() => Promise.reject(error)).catch((reason: unknown) => reason);
  return { time, breaker, fail };
}

const down = new UpstreamError('data-api', 'NetworkError', 'down');
const failing = new UpstreamError('data-api', 'InternalFailure', 'failing', { status: 500 });
const refused = new UpstreamError('data-api', 'AccessDeniedException', 'refused', { status: 403 });
const elsewhere = new UpstreamError('identity-pool', 'NetworkError', 'down');
const circuitOpen = expect.objectContaining({ code: 'CircuitOpen' });

describe('a circuit breaker', () => {
  it('opens at the fifth failure in a row, for five seconds', async () => {
    const { fail, time } = openBreaker();
    for (const error of [down, failing, down, failing, down]) expect(await fail(error)).toBe(error);
    expect(await fail(down)).toMatchObject({ code: 'CircuitOpen', details: { retryAfterMs: 5000 } });
    time.now = 4999;
    expect(await fail(down)).toEqual(circuitOpen);
    time.now = 5000;
    expect(await fail(down)).toBe(down);
    expect(await fail(down)).toEqual(circuitOpen);
  });

  it.each([
    ['what was refused', refused],
    ['what its caller gave up', new DOMException('left', 'AbortError')],
    ['what failed elsewhere', elsewhere],
  ])('does not count %s', async (_what, error) => {
    const { fail } = openBreaker();
    for (let call = 0; call < 10; call += 1) expect(await fail(error)).toBe(error);
  });

  it('counts anew after a success', async () => {
    const { fail, breaker } = openBreaker();
    for (let failure = 0; failure < 4; failure += 1) await fail(down);
    await breaker.run(async () => 'fine');
    for (let failure = 0; failure < 5; failure += 1) expect(await fail(down)).toBe(down);
    expect(await fail(down)).toEqual(circuitOpen);
  });

  it('lets one call at a time find out whether the upstream is back', async () => {
    const { fail, breaker, time } = openBreaker();
    for (let failure = 0; failure < 5; failure += 1) await fail(down);
    time.now = 5000;
    let answer: (text: string) => void = () => {};
    const probe = breaker.run(
      () =>
        new Promise<string>((resolve) => {
          answer = resolve;
        }),
    );
    expect(await fail(down)).toEqual(circuitOpen);
    answer('back');
    expect(await probe).toBe('back');
    expect(await breaker.run(async () => 'fine')).toBe('fine');
  });

  it('lets everything through as soon as it is told that the upstream is back', async () => {
    const { fail, breaker } = openBreaker();
    for (let failure = 0; failure < 5; failure += 1) await fail(down);
    breaker.close();
    expect(await breaker.run(async () => 'fine')).toBe('fine');
  });

  it('lets the next one try when the one that tried left', async () => {
    const { fail, breaker, time } = openBreaker();
    for (let failure = 0; failure < 5; failure += 1) await fail(down);
    time.now = 5000;
    await fail(new DOMException('left', 'AbortError'));
    expect(await breaker.run(async () => 'back')).toBe('back');
  });
});
