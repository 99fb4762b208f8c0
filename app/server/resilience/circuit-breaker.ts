/**
 * Leaves an upstream alone that has failed again and again, so that visitors get their answer at once and it gets the
 * time to recover.
 */

import type { Log } from '../observability/log.ts';
import { type Metrics, noMetrics, type UpstreamService } from '../observability/metrics.ts';
import type { Clock } from './clock.ts';
import { UpstreamError } from './upstream-error.ts';

export type CircuitBreaker = {
  /**
   * Runs `call`. After five calls failed in a row it rejects with the `UpstreamError` `CircuitOpen` instead, for five
   * seconds; then one call at a time may try, and the first to succeed opens the way for all. What the upstream
   * refuses, and what its caller gave up, is not a failure of the upstream.
   */
  run<T>(call: () => Promise<T>): Promise<T>;
  /** Opens the way for all at once: for who knows without a call that the upstream is back. */
  close(): void;
};

type CircuitBreakerOptions = {
  /** Five, unless another number fits the service better. */
  failuresToOpen?: number;
  /** Milliseconds; five seconds, unless another time fits the service better. */
  openMs?: number;
  metrics?: Pick<Metrics, 'circuitChanged'>;
};

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5000;

/** A breaker for all calls of this process to one service. */
export function createCircuitBreaker(
  service: UpstreamService,
  clock: Clock,
  log: Log,
  { failuresToOpen = FAILURES_TO_OPEN, openMs = OPEN_MS, metrics = noMetrics }: CircuitBreakerOptions = {},
): CircuitBreaker {
  let failures = 0;
  let openUntil = 0;
  let trying = false;

  const settle = (failed: boolean) => {
    const wasOpen = failures >= failuresToOpen;
    failures = failed ? failures + 1 : 0;
    const isOpen = failures >= failuresToOpen;
    if (isOpen) openUntil = clock() + openMs;
    if (isOpen === wasOpen) return;
    metrics.circuitChanged(service, isOpen);
    if (isOpen) log.error({ service }, 'upstream failing: circuit open');
    else log.info({ service }, 'upstream answering: circuit closed');
  };

  return {
    async run(call) {
      const isProbe = failures >= failuresToOpen;
      if (isProbe && (trying || clock() < openUntil)) throw circuitOpen(service, openUntil - clock());
      if (isProbe) trying = true;
      try {
        const result = await call();
        settle(false);
        return result;
      } catch (error) {
        if (error instanceof UpstreamError && error.service === service) settle(isFailure(error));
        throw error;
      } finally {
        if (isProbe) trying = false;
      }
    },
    close: () => settle(false),
  };
}

const FAILURE_CODES = new Set(['NetworkError', 'TimeoutError', 'InvalidResponse']);

function isFailure({ code, details }: UpstreamError): boolean {
  return FAILURE_CODES.has(code) || (details.status ?? 0) >= 500;
}

function circuitOpen(service: UpstreamService, openMs: number): UpstreamError {
  return new UpstreamError(service, 'CircuitOpen', 'Not asked: it failed too often in a row.', {
    retryAfterMs: Math.max(openMs, 1000),
  });
}
