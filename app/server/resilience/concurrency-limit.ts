/**
 * Lets only so many calls be at an upstream at once, and only so many wait for their turn. What it cannot take in time
 * is better refused now than answered when nobody waits any more.
 */

import type { Metrics, UpstreamService } from '../observability/metrics.ts';
import type { CallSignal } from './deadline.ts';
import { UpstreamError } from './upstream-error.ts';

export type ConcurrencyLimit = {
  /**
   * Runs `call` when it is its turn. Rejects with the `UpstreamError` `Overloaded` when too many wait already or the
   * time of `signal` runs out meanwhile, and with the signal's reason when the caller left.
   */
  run<T>(signal: CallSignal, call: () => Promise<T>): Promise<T>;
};

type ConcurrencyLimitOptions = {
  service: UpstreamService;
  /** How many calls may be at the upstream, and how many may wait, both from this process alone. */
  atOnce: number;
  waiting: number;
  metrics: Pick<Metrics, 'shed'>;
};

const RETRY_AFTER_MS = 1000;

/** A limit for all calls of this process to one service. */
export function createConcurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const { atOnce, waiting, service, metrics } = options;
  /** In the order in which they came. */
  const queue = new Set<() => void>();
  let running = 0;

  const overloaded = () => {
    metrics.shed(service);
    return new UpstreamError(service, 'Overloaded', 'Not asked: too many calls are under way.', {
      retryAfterMs: RETRY_AFTER_MS,
    });
  };

  const turn = (signal: CallSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        queue.delete(begin);
        reject(isTimeout(signal.reason) ? overloaded() : signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.add(begin);
    });

  /** Hands the place to who waits longest, so that nobody slips in between. */
  const passOn = () => {
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
      if (running < atOnce) running += 1;
      else if (queue.size >= waiting) throw overloaded();
      else await turn(signal);
      try {
        return await call();
      } finally {
        passOn();
      }
    },
  };
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
