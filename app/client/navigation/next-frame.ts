/** A tab in the background draws no frames. */
const MAX_FRAME_WAIT_MS = 100;

/**
 * Resolves when the next frame is drawn, after 100 ms at the latest unless `maxMs` says otherwise. The browser then shows
 * the effect of a click before the next page renders.
 */
export function nextFrame(maxMs = MAX_FRAME_WAIT_MS): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, maxMs);
    requestAnimationFrame(() => {
      setTimeout(() => {
        clearTimeout(timer);
        resolve();
      }, 0);
    });
  });
}
