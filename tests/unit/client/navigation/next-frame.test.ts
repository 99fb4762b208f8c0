import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nextFrame } from '~/client/navigation/next-frame.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Milliseconds until it resolves. */
async function wait(): Promise<number> {
  const startedAt = Date.now();
  let ms: number | null = null;
  void nextFrame().then(() => {
    ms = Date.now() - startedAt;
  });
  for (let step = 0; step < 200 && ms === null; step += 1) await vi.advanceTimersByTimeAsync(1);
  if (ms === null) throw new Error('nextFrame did not resolve');
  return ms;
}

describe('nextFrame', () => {
  it('resolves as soon as the frame is drawn', async () => {
    vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 16));
    expect(await wait()).toBeLessThanOrEqual(17);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('resolves after 100 ms when no frame is drawn', async () => {
    vi.stubGlobal('requestAnimationFrame', () => 0);
    expect(await wait()).toBe(100);
  });
});
