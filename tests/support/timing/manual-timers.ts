/** Timers and promises that a test controls. */
export type ManualTimers = {
  /** Calls `callback` after `ms` milliseconds. Returns a function that cancels it. */
  schedule(callback: () => void, ms: number): () => void;
  /** Moves the time forward by `ms` milliseconds and runs the timers that are due, in order. */
  advance(ms: number): Promise<void>;
};

/** Returns timers whose time stands still until the test advances it. */
export function createManualTimers(): ManualTimers {
  let now = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    schedule(callback, ms) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const end = now + ms;
      for (;;) {
        await settle();
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        timers.delete(next);
        now = next.at;
        next.callback();
      }
      now = end;
    },
  };
}

/** Returns a promise and the function that resolves it. */
export function createDeferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
