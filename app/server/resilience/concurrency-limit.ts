/**
 * A concurrency limit (bulkhead): a bounded number of calls to an upstream run at the same time, and a bounded number
 * wait in a queue. Further calls fail immediately, because they would time out in the queue anyway.
 */
import type { Metrics, UpstreamService } from '../observability/metrics.ts';
import type { CallSignal } from './call-signal.ts';
import { isTimeout } from './deadline.ts';
import { UpstreamError } from './upstream-error.ts';

export type ConcurrencyLimit = {
  /**
   * Runs `call` when a slot is free, first come, first served. Rejects with the `UpstreamError` `Overloaded` when the
   * queue is full or `signal` times out while the call is queued, and with the signal's reason when it is aborted.
   */
  run<T>(signal: CallSignal, call: () => Promise<T>): Promise<T>;
};

export type ConcurrencyLimitOptions = {
  service: UpstreamService;
  /** How many calls run at the same time, and how many wait, in this process. */
  maxConcurrent: number;
  maxQueued: number;
  metrics: Pick<Metrics, 'shed'>;
};

const RETRY_AFTER_MS = 1000;

/** A limit for all calls of this process to one upstream. */
export function createConcurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const { maxConcurrent, maxQueued, service, metrics } = options;
  const queue = new Set<() => void>();
  let running = 0;

  const overloaded = () => {
    metrics.shed(service);
    return new UpstreamError(service, 'Overloaded', 'Too many calls are in progress.', {
      retryAfterMs: RETRY_AFTER_MS,
    });
  };

  /** Passes the slot to the first queued call. `running` stays the same then, so that no new call takes the slot. */
  const releaseSlot = () => {
    const [next] = queue;
    if (!next) {
      running -= 1;
      return;
    }
    queue.delete(next);
    next();
  };

  return {
    async run(signal, call) {
      signal.throwIfAborted();
      if (running < maxConcurrent) running += 1;
      else if (queue.size >= maxQueued) throw overloaded();
      else await waitInQueue(queue, signal, overloaded);
      try {
        return await call();
      } finally {
        releaseSlot();
      }
    },
  };
}

/**
 * Adds a call to the queue and resolves when it may start. Rejects when `signal` is aborted, with `timeoutError` for a
 * timeout.
 */
function waitInQueue(queue: Set<() => void>, signal: CallSignal, timeoutError: () => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    const onAbort = () => {
      queue.delete(start);
      reject(isTimeout(signal.reason) ? timeoutError() : signal.reason);
    };
    signal.addEventListener('abort', onAbort);
    queue.add(start);
  });
}
