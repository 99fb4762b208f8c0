import { describe, expect, it } from 'vitest';
import { CallController, toAbortSignal } from '../../../../app/server/resilience/call-signal.ts';

describe('CallController', () => {
  it('calls its listeners once, in the order in which they were added, with the first reason', () => {
    const controller = new CallController();
    const calls: string[] = [];
    controller.addEventListener('abort', () => calls.push(`first: ${controller.reason}`));
    controller.addEventListener('abort', () => calls.push('second'));
    controller.abort('timeout');
    controller.abort('disconnect');
    expect(calls).toEqual(['first: timeout', 'second']);
    expect(controller).toMatchObject({ aborted: true, reason: 'timeout' });
  });

  it('does not call a listener that was removed, or that was added after it aborted', () => {
    const controller = new CallController();
    let calls = 0;
    const count = () => {
      calls += 1;
    };
    controller.addEventListener('abort', count);
    controller.removeEventListener('abort', count);
    controller.abort();
    controller.addEventListener('abort', count);
    expect(calls).toBe(0);
  });

  it('calls every listener, even if one removes itself, or one is removed that was never added', () => {
    const controller = new CallController();
    const calls: string[] = [];
    const removing = () => {
      calls.push('first');
      controller.removeEventListener('abort', removing);
    };
    controller.addEventListener('abort', removing);
    controller.addEventListener('abort', () => calls.push('second'));
    controller.removeEventListener('abort', () => calls.push('third'));
    controller.abort();
    expect(calls).toEqual(['first', 'second']);
  });

  it('throws its reason once it has aborted, by default an AbortError', () => {
    const controller = new CallController();
    expect(() => controller.throwIfAborted()).not.toThrow();
    controller.abort();
    expect(() => controller.throwIfAborted()).toThrow(
      expect.objectContaining({ name: 'AbortError', message: 'This operation was aborted.' }),
    );
  });
});

describe('toAbortSignal', () => {
  it('returns a signal that aborts with the reason of the other', () => {
    const controller = new CallController();
    const before = toAbortSignal(controller);
    expect(before).toBeInstanceOf(AbortSignal);
    expect(before.aborted).toBe(false);
    controller.abort('disconnect');
    expect(before).toMatchObject({ aborted: true, reason: 'disconnect' });
    expect(toAbortSignal(controller)).toMatchObject({ aborted: true, reason: 'disconnect' });
  });

  it('returns an AbortSignal as it is', () => {
    const { signal } = new AbortController();
    expect(toAbortSignal(signal)).toBe(signal);
  });
});
