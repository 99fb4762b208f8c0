/** A tab in the background draws no frames. */
const LIMIT = 100;

/**
 * Resolves when the next frame has been drawn, after 100 ms at the latest: what a press changed is seen before the work
 * of showing the next page begins.
 */
export function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(resolve, LIMIT);
    requestAnimationFrame(() => {
      setTimeout(() => {
        clearTimeout(limit);
        resolve();
      }, 0);
    });
  });
}
