/**
 * A concurrency limit (bulkhead): a bounded number of calls run at the same time, and a bounded number wait in a queue.
 * Further calls fail immediately. Callers take turns, so that one of them cannot keep the others waiting.
 */

import { isTimeout } from './deadline.ts';
import type { UpstreamMetrics } from './observer.ts';
import { UpstreamError } from './upstream-error.ts';

/** How many calls run at the same time, and how many wait. */
export type ConcurrencyBounds = { maxConcurrent: number; maxQueued: number };

export type ConcurrencyLimitOptions = ConcurrencyBounds & {
  service: string;
  /** The bounds of one caller. Without them a caller may use the whole limit. */
  perCaller?: ConcurrencyBounds;
  metrics: Pick<UpstreamMetrics, 'shed'>;
};

type Caller = { running: number; queue: Set<() => void> };

const RETRY_AFTER_MS = 1000;

/** A limit for all calls of one kind in this process. */
export class ConcurrencyLimit {
  readonly #options: ConcurrencyLimitOptions;
  readonly #perCaller: ConcurrencyBounds;
  /** The callers with running or queued calls, in the order in which they take turns. */
  readonly #callers = new Map<string, Caller>();
  #running = 0;
  #queued = 0;

  constructor(options: ConcurrencyLimitOptions) {
    this.#options = options;
    this.#perCaller = options.perCaller ?? options;
  }

  /**
   * Runs `call` when a slot is free, callers in turn, the calls of one caller in their order. Rejects with the
   * `UpstreamError` `Overloaded` when a queue is full or `signal` times out while the call is queued, and with the
   * signal's reason when it is aborted.
   */
  async run<T>(signal: AbortSignal, call: () => Promise<T>, callerName = ''): Promise<T> {
    signal.throwIfAborted();
    const caller = this.#callers.get(callerName) ?? { running: 0, queue: new Set() };
    this.#callers.set(callerName, caller);
    try {
      if (this.#mayStart(caller)) this.#take(caller);
      else if (this.#isFull(caller)) throw this.#overloaded();
      else await this.#wait(caller, signal);
      try {
        return await call();
      } finally {
        this.#release(caller);
      }
    } finally {
      this.#forgetIfIdle(callerName, caller);
    }
  }

  #mayStart(caller: Caller): boolean {
    return this.#running < this.#options.maxConcurrent && caller.running < this.#perCaller.maxConcurrent;
  }

  #isFull(caller: Caller): boolean {
    return this.#queued >= this.#options.maxQueued || caller.queue.size >= this.#perCaller.maxQueued;
  }

  #take(caller: Caller): void {
    this.#running += 1;
    caller.running += 1;
  }

  /** Starts the first queued call of the next caller whose turn it is. */
  #release(caller: Caller): void {
    this.#running -= 1;
    caller.running -= 1;
    if (this.#queued === 0) return;
    for (const [name, next] of this.#callers) {
      const [start] = next.queue;
      if (!start || !this.#mayStart(next)) continue;
      this.#take(next);
      start();
      // The others have their turn first.
      this.#callers.delete(name);
      this.#callers.set(name, next);
      return;
    }
  }

  /** The name may belong to a caller that has come since. */
  #forgetIfIdle(callerName: string, caller: Caller): void {
    const isIdle = caller.running === 0 && caller.queue.size === 0;
    if (isIdle && this.#callers.get(callerName) === caller) this.#callers.delete(callerName);
  }

  /** Queues a call and resolves when it may start. Its slot has been taken by then. */
  #wait({ queue }: Caller, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.delete(start);
        this.#queued -= 1;
        signal.removeEventListener('abort', onAbort);
      };
      const start = () => {
        leave();
        resolve();
      };
      const onAbort = () => {
        leave();
        reject(isTimeout(signal.reason) ? this.#overloaded() : signal.reason);
      };
      signal.addEventListener('abort', onAbort);
      queue.add(start);
      this.#queued += 1;
    });
  }

  #overloaded(): UpstreamError {
    const { service, metrics } = this.#options;
    metrics.shed(service);
    return new UpstreamError(service, 'Overloaded', 'Too many calls are in progress.', {
      retryAfterMs: RETRY_AFTER_MS,
    });
  }
}
