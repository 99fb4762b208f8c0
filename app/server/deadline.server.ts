/** Calls that have an end: a time limit of their own, and the signal of whoever waits for them. */

/**
 * Runs `call` with a signal that aborts `ms` milliseconds from now, with a `TimeoutError`, or as soon as `signal`
 * does, with its reason. Gives what `call` gives; it is up to `call` to heed the signal.
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const leave = () => controller.abort(signal?.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException('No answer in time.', 'TimeoutError')),
    ms,
  );
  if (signal?.aborted) leave();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
  }
}

/** What `shared` gives, or a rejection with the signal's reason as soon as it aborts. `shared` itself goes on. */
export async function untilAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
