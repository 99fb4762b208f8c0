/** Time limits for calls, and waiting that ends when a signal aborts. */

/**
 * Runs `call` with a signal that aborts after `ms` milliseconds with a `TimeoutError`, or together with `signal` and
 * for its reason. Settles as `call` does: `call` must observe the signal.
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  const onTimeout = () => controller.abort(new DOMException('The call timed out.', 'TimeoutError'));
  const timer = setTimeout(onTimeout, ms);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * Settles as `shared` does, or rejects with the reason of `signal` as soon as it is aborted. `shared` is not canceled.
 */
export async function untilAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Whether an error, or the reason of an aborted signal, is a timeout. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
