import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nextCalmFrame, watchPresses } from '~/client/hydration/presses.ts';

const FRAME_MS = 16;
const page = new EventTarget();
watchPresses(page);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, FRAME_MS));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function isReached(): () => boolean {
  let reached = false;
  void nextCalmFrame().then(() => {
    reached = true;
  });
  return () => reached;
}

it.each([
  ['pointerdown', 'pointerup'],
  ['pointerdown', 'pointercancel'],
  ['keydown', 'keyup'],
])('a calm frame after %s is the one after %s', async (press, release) => {
  page.dispatchEvent(new Event(press));
  const reached = isReached();
  await vi.advanceTimersByTimeAsync(FRAME_MS * 10);
  expect(reached()).toBe(false);
  page.dispatchEvent(new Event(release));
  await vi.advanceTimersByTimeAsync(FRAME_MS * 2);
  expect(reached()).toBe(true);
});

it('a calm frame is the next one if nothing is pressed', async () => {
  const reached = isReached();
  await vi.advanceTimersByTimeAsync(FRAME_MS + 1);
  expect(reached()).toBe(true);
});

it('a calm frame comes within about a second if the release is never noticed', async () => {
  page.dispatchEvent(new Event('pointerdown'));
  const reached = isReached();
  await vi.advanceTimersByTimeAsync(1100);
  expect(reached()).toBe(true);
});
