import { describe, expect, it } from 'vitest';
import { createConcurrencyLimit } from '../../../../app/server/resilience/concurrency-limit.ts';

const patient = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A limit of two at once and two waiting, and calls that end when the test says so. */
function openLimit() {
  const shed: string[] = [];
  const limit = createConcurrencyLimit({
    service: 'data-api',
    atOnce: 2,
    waiting: 2,
    metrics: { shed: (service) => void shed.push(service) },
  });
  const begun: string[] = [];
  const ends = new Map<string, { resolve: (name: string) => void; reject: (error: Error) => void }>();
  const call = (name: string, signal = patient) =>
    limit.run(signal, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => ends.set(name, { resolve, reject }));
    });
  return { call, begun, shed, end: (name: string) => ends.get(name) };
}

const overloaded = expect.objectContaining({
  name: 'UpstreamError',
  code: 'Overloaded',
  details: { retryAfterMs: 1000 },
});

describe('a limit of calls at once', () => {
  it('lets the others wait, in their order', async () => {
    const { call, begun, end } = openLimit();
    const calls = ['a', 'b', 'c', 'd'].map((name) => call(name));
    await settled();
    expect(begun).toEqual(['a', 'b']);
    end('b')?.resolve('done');
    expect(await calls[1]).toBe('done');
    await settled();
    expect(begun).toEqual(['a', 'b', 'c']);
    end('a')?.reject(new Error('failed'));
    await expect(calls[0]).rejects.toThrow('failed');
    await settled();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuses at once whom it has no place for, and takes the next when there is one', async () => {
    const { call, begun, end, shed } = openLimit();
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
    expect(begun).not.toContain('e');
  });

  it('forgets who left while waiting, with the reason that they had', async () => {
    const { call, begun, end } = openLimit();
    const leaving = new AbortController();
    const calls = [call('a'), call('b')];
    const left = call('c', leaving.signal);
    const stays = call('d');
    await settled();
    leaving.abort(new DOMException('left', 'AbortError'));
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    end('a')?.resolve('a');
    await calls[0];
    await settled();
    expect(begun).toEqual(['a', 'b', 'd']);
    end('d')?.resolve('d');
    expect(await stays).toBe('d');
  });

  it('says that it is busy when the time to wait ran out', async () => {
    const { call, shed } = openLimit();
    const deadline = new AbortController();
    void call('a');
    void call('b');
    const late = call('c', deadline.signal);
    deadline.abort(new DOMException('No answer in time.', 'TimeoutError'));
    await expect(late).rejects.toEqual(overloaded);
    expect(shed).toEqual(['data-api']);
    await expect(call('d', deadline.signal)).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});
