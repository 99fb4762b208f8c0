import { describe, expect, it } from 'vitest';
import { CallController, type CallSignal } from '../../../../app/server/resilience/call-signal.ts';
import {
  ConcurrencyLimit,
  type ConcurrencyLimitOptions,
} from '../../../../app/server/resilience/concurrency-limit.ts';

const neverAborts = new CallController();
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
  const call = (name: string, signal: CallSignal = neverAborts, caller?: string) =>
    limit.run(
      signal,
      () => {
        started.push(name);
        return new Promise<string>((resolve, reject) => ends.set(name, { resolve, reject }));
      },
      caller,
    );
  return { call, started, shed, end: (name: string) => ends.get(name) };
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
    const { call, started, end } = openLimit();
    const calls = ['a', 'b', 'c', 'd'].map((name) => call(name));
    await settled();
    expect(started).toEqual(['a', 'b']);
    end('b')?.resolve('done');
    expect(await calls[1]).toBe('done');
    await settled();
    expect(started).toEqual(['a', 'b', 'c']);
    end('a')?.reject(new Error('failed'));
    await expect(calls[0]).rejects.toThrow('failed');
    await settled();
    expect(started).toEqual(['a', 'b', 'c', 'd']);
  });

  it('rejects immediately when the queue is full, and accepts calls again when there is room', async () => {
    const { call, started, end, shed } = openLimit();
    const calls = ['a', 'b', 'c', 'd'].map((name) => call(name));
    await settled();
    await expect(call('e')).rejects.toEqual(overloaded);
    expect(shed).toEqual(['data-api']);
    for (const name of ['a', 'b', 'c', 'd']) {
      end(name)?.resolve(name);
      await settled();
    }
    expect(await Promise.all(calls)).toEqual(['a', 'b', 'c', 'd']);
    const late = call('f');
    await settled();
    end('f')?.resolve('f');
    expect(await late).toBe('f');
    expect(started).not.toContain('e');
  });

  it("removes an aborted call from the queue and rejects with the signal's reason", async () => {
    const { call, started, end } = openLimit();
    const controller = new AbortController();
    const calls = [call('a'), call('b')];
    const aborted = call('c', controller.signal);
    const queued = call('d');
    await settled();
    controller.abort(new DOMException('canceled', 'AbortError'));
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    end('a')?.resolve('a');
    await calls[0];
    await settled();
    expect(started).toEqual(['a', 'b', 'd']);
    end('d')?.resolve('d');
    expect(await queued).toBe('d');
  });

  it('rejects as overloaded when a queued call times out', async () => {
    const { call, shed } = openLimit();
    const deadline = new AbortController();
    void call('a');
    void call('b');
    const late = call('c', deadline.signal);
    deadline.abort(new DOMException('The call timed out.', 'TimeoutError'));
    await expect(late).rejects.toEqual(overloaded);
    expect(shed).toEqual(['data-api']);
    await expect(call('d', deadline.signal)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('ignores a signal that aborts after the queued call has started', async () => {
    const { call, started, shed, end } = openLimit();
    const deadline = new AbortController();
    const calls = [call('a'), call('b'), call('c', deadline.signal), call('d')];
    end('a')?.resolve('a');
    await settled();
    deadline.abort(new DOMException('The call timed out.', 'TimeoutError'));
    end('c')?.resolve('c');
    await settled();
    expect(started).toEqual(['a', 'b', 'c', 'd']);
    expect(shed).toEqual([]);
    for (const name of ['b', 'd']) end(name)?.resolve(name);
    expect(await Promise.all(calls)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('callers of a concurrency limit', () => {
  const bounds = { maxConcurrent: 2, maxQueued: 8, perCaller: { maxConcurrent: 2, maxQueued: 3 } };

  /** Starts calls such as `a1`, whose first letter is the caller. */
  function open(options = bounds) {
    const { call, ...limit } = openLimit(options);
    const callAll = (...names: string[]) => names.map((name) => call(name, neverAborts, name[0]));
    const end = async (name: string) => {
      limit.end(name)?.resolve(name);
      await settled();
    };
    return { ...limit, callAll, end };
  }

  // threat-model: T-089
  it('take turns, each with its calls in their order', async () => {
    const { callAll, started, end } = open();
    const calls = callAll('a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1');
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'a5']) await end(name);
    expect(await Promise.all(calls)).toHaveLength(8);
    expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
  });

  // threat-model: T-089
  it('have queues of their own', async () => {
    const { callAll, started, end } = open();
    const calls = callAll('a1', 'a2', 'a3', 'a4', 'a5');
    await expect(callAll('a6')[0]).rejects.toEqual(overloaded);
    const other = callAll('b1');
    for (const name of ['a1', 'a2', 'a3', 'b1', 'a4', 'a5']) await end(name);
    expect(await Promise.all([...calls, ...other])).toHaveLength(6);
    expect(started).not.toContain('a6');
  });

  it('leave slots to others', async () => {
    const perCaller = { maxConcurrent: 1, maxQueued: 3 };
    const { callAll, started, end } = open({ ...bounds, perCaller });
    const calls = callAll('a1', 'a2', 'b1', 'b2');
    await settled();
    expect(started).toEqual(['a1', 'b1']);
    for (const name of ['b1', 'a1', 'a2', 'b2']) await end(name);
    expect(await Promise.all(calls)).toHaveLength(4);
  });

  it('keep to their own limit when some of their calls have ended', async () => {
    const { callAll, started, end } = open({ ...bounds, maxConcurrent: 4 });
    const calls = callAll('a1', 'a2');
    await end('a1');
    calls.push(...callAll('a3', 'a4'));
    await settled();
    expect(started).toEqual(['a1', 'a2', 'a3']);
    for (const name of ['a2', 'a3', 'a4']) await end(name);
    expect(await Promise.all(calls)).toHaveLength(4);
  });

  it('keep to their own limit when a call begins while another one is being canceled', async () => {
    const { call, started, end } = openLimit({ ...bounds, perCaller: { maxConcurrent: 1, maxQueued: 3 } });
    const controller = new CallController();
    const calls = [call('a1', neverAborts, 'a'), call('a2', controller, 'a')];
    await settled();
    end('a1')?.resolve('a1');
    queueMicrotask(() => calls.push(call('a3', neverAborts, 'a')));
    controller.abort();
    await Promise.allSettled(calls);
    calls.push(call('a4', neverAborts, 'a'));
    await settled();
    expect(started).toEqual(['a1', 'a3']);
    for (const name of ['a3', 'a4']) {
      end(name)?.resolve(name);
      await settled();
    }
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });

  describe('have no earlier turn', () => {
    const open = (maxQueued: number) => {
      const { call, started, end } = openLimit({ maxConcurrent: 1, maxQueued });
      const start = (name: string, signal?: CallSignal) => {
        call(name, signal, name[0]).catch(() => {});
        return settled();
      };
      const endAll = async (...names: string[]) => {
        for (const name of names) {
          end(name)?.resolve(name);
          await settled();
        }
      };
      return { started, start, endAll };
    };

    it('because of a call that is complete', async () => {
      const { started, start, endAll } = open(2);
      await start('a1');
      await endAll('a1');
      for (const name of ['b1', 'c1', 'a2']) await start(name);
      await endAll('b1', 'c1', 'a2');
      expect(started).toEqual(['a1', 'b1', 'c1', 'a2']);
    });

    it('because of a call that was canceled', async () => {
      const { started, start, endAll } = open(2);
      const controller = new CallController();
      await start('b1');
      await start('a1', controller);
      controller.abort();
      for (const name of ['c1', 'a2']) await start(name);
      await endAll('b1', 'c1', 'a2');
      expect(started).toEqual(['b1', 'c1', 'a2']);
    });

    it('because of a call that was rejected', async () => {
      const { started, start, endAll } = open(2);
      for (const name of ['b1', 'c1', 'c2', 'a1']) await start(name);
      await endAll('b1');
      await start('d1');
      await endAll('c1');
      await start('a2');
      await endAll('c2', 'd1', 'a2');
      expect(started).toEqual(['b1', 'c1', 'c2', 'd1', 'a2']);
    });
  });
});
