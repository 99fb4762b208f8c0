import { describe, expect, it } from 'vitest';
import { ConcurrencyLimit, type ConcurrencyLimitOptions } from '../src/concurrency-limit.ts';

const neverAborts = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A limit of two running and two queued calls, which end when the test ends them. */
function openLimit(options: Partial<ConcurrencyLimitOptions> = {}) {
  const shed: string[] = [];
  const limit = new ConcurrencyLimit({
    service: 'data-api',
    maxConcurrent: 2,
    maxQueued: 2,
    metrics: { shed: (service) => void shed.push(service) },
    ...options,
  });
  const started: string[] = [];
  const ends = new Map<string, { resolve: (name: string) => void; reject: (error: Error) => void }>();
  /** Makes a call such as `a1`, whose first letter is the caller. */
  const call = (name: string, signal: AbortSignal = neverAborts) =>
    limit.run(
      signal,
      () => {
        started.push(name);
        return new Promise<string>((resolve, reject) => ends.set(name, { resolve, reject }));
      },
      name[0],
    );
  const callAll = (...names: string[]) => names.map((name) => call(name));
  /** Ends calls one after the other. */
  const end = async (...names: string[]) => {
    for (const name of names) {
      ends.get(name)?.resolve(name);
      await settled();
    }
  };
  const fail = (name: string) => ends.get(name)?.reject(new Error('failed'));
  return { call, callAll, started, shed, end, fail };
}

const overloaded = expect.objectContaining({
  name: 'UpstreamError',
  service: 'data-api',
  code: 'Overloaded',
  message: 'Too many calls are in progress.',
  details: { retryAfterMs: 1000 },
});

describe('a concurrency limit', () => {
  it('runs queued calls in their order', async () => {
    const { callAll, started, end, fail } = openLimit();
    const [first, second] = callAll('a1', 'a2', 'a3', 'a4');
    await settled();
    expect(started).toEqual(['a1', 'a2']);
    await end('a2');
    expect(await second).toBe('a2');
    expect(started).toEqual(['a1', 'a2', 'a3']);
    fail('a1');
    await expect(first).rejects.toThrow('failed');
    await settled();
    expect(started).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  it('rejects immediately when the queue is full, and accepts calls again when there is room', async () => {
    const { call, callAll, started, end, shed } = openLimit();
    const calls = callAll('a1', 'a2', 'a3', 'a4');
    await expect(call('a5')).rejects.toEqual(overloaded);
    expect(shed).toEqual(['data-api']);
    await end('a1', 'a2', 'a3', 'a4');
    calls.push(call('a6'));
    await end('a6');
    expect(await Promise.all(calls)).toEqual(['a1', 'a2', 'a3', 'a4', 'a6']);
    expect(started).not.toContain('a5');
  });

  it("removes an aborted call from the queue and rejects with the signal's reason", async () => {
    const { call, callAll, started, end } = openLimit();
    const controller = new AbortController();
    const calls = callAll('a1', 'a2');
    const aborted = call('a3', controller.signal);
    calls.push(call('a4'));
    controller.abort(new DOMException('canceled', 'AbortError'));
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    await end('a1');
    expect(started).toEqual(['a1', 'a2', 'a4']);
    await end('a2', 'a4');
    expect(await Promise.all(calls)).toEqual(['a1', 'a2', 'a4']);
  });

  it('rejects as overloaded when a queued call times out', async () => {
    const { call, callAll, shed } = openLimit();
    const deadline = new AbortController();
    callAll('a1', 'a2');
    const late = call('a3', deadline.signal);
    deadline.abort(new DOMException('The call timed out.', 'TimeoutError'));
    await expect(late).rejects.toEqual(overloaded);
    expect(shed).toEqual(['data-api']);
    await expect(call('a4', deadline.signal)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('ignores a signal that aborts after the queued call has started', async () => {
    const { call, callAll, started, shed, end } = openLimit();
    const deadline = new AbortController();
    const calls = [...callAll('a1', 'a2'), call('a3', deadline.signal), call('a4')];
    await end('a1');
    deadline.abort(new DOMException('The call timed out.', 'TimeoutError'));
    await end('a3');
    expect(started).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(shed).toEqual([]);
    await end('a2', 'a4');
    expect(await Promise.all(calls)).toEqual(['a1', 'a2', 'a3', 'a4']);
  });
});

describe('callers of a concurrency limit', () => {
  const bounds = { maxConcurrent: 2, maxQueued: 8, perCaller: { maxConcurrent: 2, maxQueued: 3 } };
  const one = { maxConcurrent: 1, maxQueued: 3 };

  // threat-model: T-089
  it('take turns, each with its calls in their order', async () => {
    const { callAll, started, end } = openLimit(bounds);
    const calls = callAll('a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1');
    await end('a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'a5');
    expect(await Promise.all(calls)).toHaveLength(8);
    expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
  });

  // threat-model: T-089
  it('have queues of their own', async () => {
    const { call, callAll, started, end } = openLimit(bounds);
    const calls = callAll('a1', 'a2', 'a3', 'a4', 'a5');
    await expect(call('a6')).rejects.toEqual(overloaded);
    calls.push(call('b1'));
    await end('a1', 'a2', 'a3', 'b1', 'a4', 'a5');
    expect(await Promise.all(calls)).toHaveLength(6);
    expect(started).not.toContain('a6');
  });

  it('leave slots to others', async () => {
    const { callAll, started, end } = openLimit({ ...bounds, perCaller: one });
    const calls = callAll('a1', 'a2', 'b1', 'b2');
    await end('b1');
    expect(started).toEqual(['a1', 'b1', 'b2']);
    await end('a1', 'a2', 'b2');
    expect(await Promise.all(calls)).toHaveLength(4);
  });

  it('keep to their own limit when some of their calls have ended', async () => {
    const { callAll, started, end } = openLimit({ ...bounds, maxConcurrent: 4 });
    const calls = callAll('a1', 'a2');
    await end('a1');
    calls.push(...callAll('a3', 'a4'));
    await settled();
    expect(started).toEqual(['a1', 'a2', 'a3']);
    await end('a2', 'a3', 'a4');
    expect(await Promise.all(calls)).toHaveLength(4);
  });

  it('keep to their own limit when a call begins while another one is being canceled', async () => {
    const { call, started, end } = openLimit({ ...bounds, perCaller: one });
    const controller = new AbortController();
    const calls = [call('a1'), call('a2', controller.signal)];
    void end('a1');
    queueMicrotask(() => calls.push(call('a3')));
    controller.abort();
    await Promise.allSettled(calls);
    calls.push(call('a4'));
    await settled();
    expect(started).toEqual(['a1', 'a3']);
    await end('a3', 'a4');
    expect(await Promise.allSettled(calls)).toMatchObject([
      { value: 'a1' },
      { status: 'rejected' },
      { value: 'a3' },
      { value: 'a4' },
    ]);
  });

  describe('have no earlier turn', () => {
    const bounds = { maxConcurrent: 1, maxQueued: 2 };

    it('because of a call that is complete', async () => {
      const { callAll, started, end } = openLimit(bounds);
      callAll('a1');
      await end('a1');
      callAll('b1', 'c1', 'a2');
      await end('b1', 'c1', 'a2');
      expect(started).toEqual(['a1', 'b1', 'c1', 'a2']);
    });

    it('because of a call that was canceled', async () => {
      const { call, callAll, started, end } = openLimit(bounds);
      const controller = new AbortController();
      callAll('b1');
      const canceled = call('a1', controller.signal);
      controller.abort();
      await expect(canceled).rejects.toThrow('aborted');
      callAll('c1', 'a2');
      await end('b1', 'c1', 'a2');
      expect(started).toEqual(['b1', 'c1', 'a2']);
    });

    it('because of a call that was rejected', async () => {
      const { call, callAll, started, end } = openLimit(bounds);
      callAll('b1', 'c1', 'c2');
      await expect(call('a1')).rejects.toEqual(overloaded);
      await end('b1');
      callAll('d1');
      await end('c1');
      callAll('a2');
      await end('c2', 'd1', 'a2');
      expect(started).toEqual(['b1', 'c1', 'c2', 'd1', 'a2']);
    });
  });
});
