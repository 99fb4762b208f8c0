/** Calls to an upstream with all protections: a concurrency limit, a circuit breaker and retries. */

import { createCircuitBreaker } from './circuit-breaker.ts';
import type { Clock } from './clock.ts';
import { ConcurrencyLimit, type ConcurrencyLimitOptions } from './concurrency-limit.ts';
import type { Log } from './observer.ts';
import { noMetrics, type UpstreamMetrics } from './observer.ts';
import { type RetryOptions, withRetries } from './retry.ts';

export type Upstream = {
  /**
   * Runs `attempt` until it succeeds, three times at most. All attempts together take one slot of the concurrency limit
   * and count once for the circuit breaker. Rejects with the error of the last attempt, or as the limit and the breaker
   * do.
   */
  call<T>(attempt: () => Promise<T>, options: UpstreamCallOptions): Promise<T>;
};

type UpstreamCallOptions = Pick<RetryOptions, 'isRetryable'> & {
  /** Ends waiting in the queue and between attempts. `attempt` must observe it too. */
  signal: AbortSignal;
  /** Logged with every retry. */
  logFields: Record<string, string>;
  /** Callers take turns. */
  caller?: string;
};

export type UpstreamOptions = Pick<RetryOptions, 'sleep' | 'random'> &
  Omit<ConcurrencyLimitOptions, 'metrics'> & {
    clock: Clock;
    log: Log;
    metrics?: UpstreamMetrics | undefined;
  };

/** The protections for all calls of this process to one upstream. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { service, clock, log, metrics = noMetrics, sleep, random } = options;
  const limit = new ConcurrencyLimit({ ...options, metrics });
  const breaker = createCircuitBreaker({ service, clock, log, metrics });

  return {
    call(attempt, { signal, isRetryable, logFields, caller }) {
      const onRetry = (err: unknown, attempts: number) => {
        metrics.retried(service);
        log.warn({ err, service, attempt: attempts, ...logFields }, 'upstream call retried');
      };
      const retryOptions = { signal, isRetryable, onRetry, sleep, random };
      return limit.run(signal, () => breaker.run(() => withRetries(attempt, retryOptions)), caller);
    },
  };
}
