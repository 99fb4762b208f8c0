import { describe, expect, it } from 'vitest';
import { createConcurrencyLimit } from '../../../../app/server/resilience/concurrency-limit.ts';

const neverAborts = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A limit of two running and two queued calls, which end when the test ends them. */
function openLimit() {
  const shed: string[] = [];
  const limit = createConcurrencyLimit({
    service: 'data-api',
    maxConcurrent: 2,
    maxQueued: 2,
    metrics: { shed: (service) => void shed.push(service) },
  });
  const started: string[] = [];
  const ends = new Map<string, { resolve: (name: string) => void; reject: (error: Error) => void }>();
  const call = (name: string, signal = neverAborts) =>
    limit.run(signal, () => {
      started.push(name);
      return new Promise<string>((resolve, reject) => ends.set(name, { resolve, reject }));
    });
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
