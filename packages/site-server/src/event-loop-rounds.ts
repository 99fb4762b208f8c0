import { setImmediate } from 'node:timers/promises';

/**
 * Creates a function whose promises resolve in different rounds of the event loop, in their order. Work that is done after
 * them lets other requests be handled between.
 */
export function createRounds(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => setImmediate());
    return last;
  };
}
