import { describe, expect, it } from 'vitest';
import { createLog } from '../../site-server/src/log/log.ts';
import { type CircuitBreakerOptions, createCircuitBreaker } from '../src/circuit-breaker.ts';
import { UpstreamError } from '../src/upstream-error.ts';

function openBreaker(options: Pick<CircuitBreakerOptions, 'failuresToOpen' | 'openMs'> = {}) {
  const time = { now: 0 };
  const logged: string[] = [];
  const changes: string[] = [];
  const breaker = createCircuitBreaker({
    service: 'data-api',
    clock: () => time.now,
    log: createLog('info', { write: (line) => void logged.push(line) }),
    metrics: { circuitChanged: (service, isOpen) => void changes.push(`${service} open: ${isOpen}`) },
    ...options,
  });
  const fail = (error: unknown) =>
    breaker.run(() => Promise.reject(error)).catch((reason: unknown) => reason);
  return { time, breaker, fail, changes, lines: () => logged.map((line) => JSON.parse(line)) };
}

const down = new UpstreamError('data-api', 'NetworkError', 'down');
const failing = new UpstreamError('data-api', 'InternalFailure', 'failing', { status: 500 });
const rejected = new UpstreamError('data-api', 'AccessDeniedException', 'rejected', { status: 403 });
const otherService = new UpstreamError('identity-pool', 'NetworkError', 'down');
const circuitOpen = expect.objectContaining({ code: 'CircuitOpen' });

describe('a circuit breaker', () => {
  it('opens for five seconds after five consecutive failures', async () => {
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
    ['a rejection by the upstream', rejected],
    ['a call that its caller canceled', new DOMException('canceled', 'AbortError')],
    ['a failure of another service', otherService],
  ])('does not count %s as a failure', async (_what, error) => {
    const { fail } = openBreaker();
    for (let call = 0; call < 10; call += 1) expect(await fail(error)).toBe(error);
  });

  it('resets the count after a success', async () => {
    const { fail, breaker } = openBreaker();
    for (let failure = 0; failure < 4; failure += 1) await fail(down);
    await breaker.run(async () => 'fine');
    for (let failure = 0; failure < 5; failure += 1) expect(await fail(down)).toBe(down);
    expect(await fail(down)).toEqual(circuitOpen);
  });

  it('runs every call after close()', async () => {
    const { fail, breaker } = openBreaker();
    for (let failure = 0; failure < 5; failure += 1) await fail(down);
    breaker.close();
    expect(await breaker.run(async () => 'fine')).toBe('fine');
  });

  it('runs the next call when the probing call was canceled', async () => {
    const { fail, breaker, time } = openBreaker();
    for (let failure = 0; failure < 5; failure += 1) await fail(down);
    time.now = 5000;
    await fail(new DOMException('canceled', 'AbortError'));
    expect(await breaker.run(async () => 'back')).toBe('back');
  });

  it('runs one call at a time even when an earlier call ends meanwhile', async () => {
    const { fail, breaker, time } = openBreaker();
    let cancel = (_reason: Error) => {};
    const earlier = breaker.run(() => new Promise((_, reject) => (cancel = reject)));
    for (let failure = 0; failure < 5; failure += 1) await fail(down);
    time.now = 5000;
    let respond = (_text: string) => {};
    const probe = breaker.run(() => new Promise<string>((resolve) => (respond = resolve)));
    cancel(new DOMException('canceled', 'AbortError'));
    await expect(earlier).rejects.toThrow('canceled');
    expect(await fail(down)).toEqual(circuitOpen);
    respond('back');
    expect(await probe).toBe('back');
  });

  it('says when to try again, but never earlier than in a second', async () => {
    const { fail, time } = openBreaker();
    for (let failure = 0; failure < 5; failure += 1) await fail(down);
    for (const [now, retryAfterMs] of [
      [1500, 3500],
      [4600, 1000],
    ] as const) {
      time.now = now;
      expect(await fail(down)).toMatchObject({
        name: 'UpstreamError',
        service: 'data-api',
        code: 'CircuitOpen',
        message: 'The circuit is open after repeated failures.',
        details: { retryAfterMs },
      });
    }
  });

  it('can open after another number of failures and for another time', async () => {
    const { fail, time } = openBreaker({ failuresToOpen: 2, openMs: 3000 });
    expect([await fail(down), await fail(down)]).toEqual([down, down]);
    expect(await fail(down)).toMatchObject({ code: 'CircuitOpen', details: { retryAfterMs: 3000 } });
    time.now = 3000;
    expect(await fail(down)).toBe(down);
  });

  it('logs and counts each change of its state once', async () => {
    const { fail, breaker, time, changes, lines } = openBreaker();
    breaker.close();
    for (let failure = 0; failure < 4; failure += 1) await fail(down);
    expect([changes, lines()]).toEqual([[], []]);
    await fail(down);
    await fail(down);
    time.now = 5000;
    await fail(down);
    expect(changes).toEqual(['data-api open: true']);
    time.now = 10_000;
    await breaker.run(async () => 'back');
    await breaker.run(async () => 'fine');
    expect(changes).toEqual(['data-api open: true', 'data-api open: false']);
    expect(lines()).toMatchObject([
      { level: 'error', msg: 'circuit open', service: 'data-api' },
      { level: 'info', msg: 'circuit closed', service: 'data-api' },
    ]);
  });
});
