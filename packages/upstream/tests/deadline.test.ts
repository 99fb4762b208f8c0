import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isTimeout, untilAborted, withDeadline } from '../src/deadline.ts';

/** Rejects with the reason of the signal when that aborts. */
const rejectOnAbort = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('withDeadline', () => {
  it("aborts the call with the caller's reason", async () => {
    const controller = new AbortController();
    const call = withDeadline(60_000, controller.signal, rejectOnAbort);
    controller.abort('canceled');
    await expect(call).rejects.toBe('canceled');
    const late = withDeadline(60_000, controller.signal, async (signal) => signal.throwIfAborted());
    await expect(late).rejects.toBe('canceled');
  });

  it.each([
    ['with', new AbortController().signal],
    ['without', undefined],
  ])('aborts a call with a TimeoutError after the deadline, %s a signal of the caller', async (_, signal) => {
    const call = withDeadline(5, signal, rejectOnAbort);
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError', message: 'The call timed out.' });
  });

  it('leaves no timer and no listener behind', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { signal } = new AbortController();
    expect(await withDeadline(60_000, signal, async () => 'result')).toBe('result');
    await expect(withDeadline(60_000, signal, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('untilAborted', () => {
  it('stops waiting when the signal aborts, while others still wait for the same promise', async () => {
    const controller = new AbortController();
    let resolveShared = (_text: string) => {};
    const shared = new Promise<string>((resolve) => (resolveShared = resolve));
    const waiting = untilAborted(shared, controller.signal);
    const other = untilAborted(shared, new AbortController().signal);
    controller.abort('canceled');
    await expect(waiting).rejects.toBe('canceled');
    resolveShared('result');
    expect(await other).toBe('result');
    await expect(untilAborted(shared, controller.signal)).rejects.toBe('canceled');
  });

  it('settles as the promise does, and leaves no listener behind', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve('result'), signal)).toBe('result');
    await expect(untilAborted(Promise.reject(new Error('x')), signal)).rejects.toThrow('x');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it.each([
  [new DOMException('late', 'TimeoutError'), true],
  [new DOMException('canceled', 'AbortError'), false],
  [{ name: 'TimeoutError' }, false],
  [undefined, false],
])('isTimeout of %o is %s', (error, expected) => expect(isTimeout(error)).toBe(expected));
