/**
 * A circuit breaker: after repeated failures of an upstream, calls fail immediately for a while. Visitors do not wait
 * for a call that is likely to fail, and the upstream gets time to recover.
 */

import type { Clock } from './clock.ts';
import type { Log } from './observer.ts';
import { noMetrics, type UpstreamMetrics } from './observer.ts';
import { isUnavailable, UpstreamError } from './upstream-error.ts';

export type CircuitBreaker = {
  /**
   * Runs `call`. After five consecutive failures the circuit opens: for five seconds, `run` rejects with the
   * `UpstreamError` `CircuitOpen` without running `call`. Then it runs one call at a time, until one succeeds and
   * closes the circuit. Rejections by the upstream (status 4xx) and calls that their caller canceled do not count as
   * failures.
   */
  run<T>(call: () => Promise<T>): Promise<T>;
  /** Closes the circuit at once. For callers that have found the upstream available again. */
  close(): void;
};

export type CircuitBreakerOptions = {
  service: string;
  clock: Clock;
  log: Log;
  metrics?: Pick<UpstreamMetrics, 'circuitChanged'>;
  /** Consecutive failures that open the circuit. */
  failuresToOpen?: number;
  /** How long the circuit stays open, in milliseconds. */
  openMs?: number;
};

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5000;
const MIN_RETRY_AFTER_MS = 1000;

/** A circuit breaker for all calls of this process to one upstream. */
export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { service, clock, log, metrics = noMetrics } = options;
  const { failuresToOpen = FAILURES_TO_OPEN, openMs = OPEN_MS } = options;
  let failures = 0;
  let openUntil = 0;
  let isProbing = false;

  const record = (hasFailed: boolean) => {
    const wasOpen = failures >= failuresToOpen;
    failures = hasFailed ? failures + 1 : 0;
    const isOpen = failures >= failuresToOpen;
    if (isOpen) openUntil = clock() + openMs;
    if (isOpen === wasOpen) return;
    metrics.circuitChanged(service, isOpen);
    if (isOpen) log.error({ service }, 'circuit open');
    else log.info({ service }, 'circuit closed');
  };

  return {
    async run(call) {
      const isProbe = failures >= failuresToOpen;
      if (isProbe && (isProbing || clock() < openUntil)) throw circuitOpen(service, openUntil - clock());
      if (isProbe) isProbing = true;
      try {
        const result = await call();
        record(false);
        return result;
      } catch (error) {
        if (error instanceof UpstreamError && error.service === service) record(isUnavailable(error));
        throw error;
      } finally {
        if (isProbe) isProbing = false;
      }
    },
    close: () => record(false),
  };
}

function circuitOpen(service: string, remainingMs: number): UpstreamError {
  return new UpstreamError(service, 'CircuitOpen', 'The circuit is open after repeated failures.', {
    retryAfterMs: Math.max(remainingMs, MIN_RETRY_AFTER_MS),
  });
}
