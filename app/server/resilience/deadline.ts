/** Calls that have an end: a time limit of their own, and the signal of whoever waits for them. */

/** What a call listens to: an `AbortSignal`, or as much of one as a `CallController` is. */
export type CallSignal = Pick<AbortSignal, 'aborted' | 'reason' | 'throwIfAborted'> & {
  addEventListener(type: 'abort', listener: () => void, options?: { once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
};

/**
 * An `AbortController` for calls that never leave our own code, and its signal in one. Node's is a whole event target:
 * to make two and listen to them takes as long as to open a session.
 */
export class CallController implements CallSignal {
  aborted = false;
  reason: unknown = undefined;
  #listeners: (() => void)[] = [];

  get signal(): CallSignal {
    return this;
  }

  /** Tells each listener once, in the order in which they came. Only the first reason counts. */
  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }
}

/**
 * Runs `call` with a signal that aborts `ms` milliseconds from now, with a `TimeoutError`, or as soon as `signal`
 * does, with its reason. Gives what `call` gives; it is up to `call` to heed the signal.
 */
export function withDeadline<T>(
  ms: number,
  signal: CallSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  return limit(ms, signal, controller, () => call(controller.signal));
}

/** The same for a call whose signal stays in our own code. */
export function withCallDeadline<T>(
  ms: number,
  signal: CallSignal,
  call: (signal: CallSignal) => Promise<T>,
): Promise<T> {
  const controller = new CallController();
  return limit(ms, signal, controller, () => call(controller));
}

async function limit<T>(
  ms: number,
  signal: CallSignal | undefined,
  controller: { abort(reason: unknown): void },
  call: () => Promise<T>,
): Promise<T> {
  const leave = () => controller.abort(signal?.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException('No answer in time.', 'TimeoutError')),
    ms,
  );
  if (signal?.aborted) leave();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    return await call();
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
  }
}

/** What `shared` gives, or a rejection with the signal's reason as soon as it aborts. `shared` itself goes on. */
export async function untilAborted<T>(shared: Promise<T>, signal: CallSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
