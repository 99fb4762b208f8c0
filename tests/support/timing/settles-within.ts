import { setTimeout as delay } from 'node:timers/promises';

const STEP_MS = 100;

/**
 * Settles as `promise` does, or rejects once the event loop has waited `ms` milliseconds for it. The time is counted in
 * short timers, one after the other, so that a process that is stopped or busy for a while does not use it up.
 */
export async function settlesWithin<T>(ms: number, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  const limit = async (): Promise<never> => {
    for (let waited = 0; waited < ms && !isSettled; waited += STEP_MS) await delay(STEP_MS);
    throw new Error(`This has not settled within ${ms} ms`);
  };
  return Promise.race([settled, limit()]);
}
