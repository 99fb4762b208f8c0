import { describe, expect, it } from 'vitest';
import {
  CallController,
  untilAborted,
  withCallDeadline,
  withDeadline,
} from '../../../../app/server/resilience/deadline.ts';

/** Settles when the signal aborts, with its reason. */
const untilGivenUp = (signal: Pick<CallController, 'addEventListener' | 'reason'>) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe.each([
  ['an AbortController', () => new AbortController()],
  ['a CallController', () => new CallController()],
])('%s', (_name, create) => {
  it('tells whoever listens once, and keeps its first reason', () => {
    const controller = create();
    const { signal } = controller;
    const heard: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      signal.addEventListener('abort', () => heard.push(`${name} ${signal.reason}`), { once: true });
    }
    const gone = () => heard.push('gone');
    signal.addEventListener('abort', gone, { once: true });
    signal.removeEventListener('abort', gone);
    signal.removeEventListener('abort', () => {});
    expect(signal.aborted).toBe(false);
    expect(() => signal.throwIfAborted()).not.toThrow();
    controller.abort('first');
    controller.abort('second');
    signal.addEventListener('abort', () => heard.push('late'), { once: true });
    expect([signal.aborted, signal.reason, heard]).toEqual([
      true,
      'first',
      ['one first', 'two first', 'three first'],
    ]);
    expect(() => signal.throwIfAborted()).toThrow('first');
  });

  it('has a reason when it is given none', () => {
    const controller = create();
    controller.abort();
    expect(controller.signal.reason).toMatchObject({ name: 'AbortError' });
  });

  it.each([
    ['any call', withDeadline],
    ['a call of our own', withCallDeadline],
  ])('ends %s that has a deadline', async (_what, limit) => {
    const controller = create();
    const call = limit(60_000, controller.signal, untilGivenUp);
    controller.abort('left');
    await expect(call).rejects.toBe('left');
    const late = limit(60_000, controller.signal, async (signal) => signal.throwIfAborted());
    await expect(late).rejects.toBe('left');
  });

  it('ends the waiting for what others wait for too', async () => {
    const controller = create();
    let come = (_text: string) => {};
    const shared = new Promise<string>((resolve) => {
      come = resolve;
    });
    const waiting = untilAborted(shared, controller.signal);
    const other = untilAborted(shared, create().signal);
    controller.abort('left');
    await expect(waiting).rejects.toBe('left');
    come('there');
    expect(await other).toBe('there');
    await expect(untilAborted(shared, controller.signal)).rejects.toBe('left');
  });
});

describe.each([
  ['any call', withDeadline],
  ['a call of our own', withCallDeadline],
])('a deadline for %s', (_what, limit) => {
  it('ends it with a TimeoutError', async () => {
    const call = limit(5, new CallController(), untilGivenUp);
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('is none for one that comes in time', async () => {
    const { signal } = new AbortController();
    expect(await limit(60_000, signal, async () => 'there')).toBe('there');
  });
});
