/**
 * Leaves an upstream alone that has failed again and again, so that visitors get their answer at once and it gets the
 * time to recover.
 */
import type { Clock } from './clock.server.ts';
import { UpstreamError, type UpstreamService } from './errors.server.ts';
import type { Log } from './log.server.ts';

export type CircuitBreaker = {
  /**
   * Runs `call`. After five calls failed in a row it rejects with the `UpstreamError` `CircuitOpen` instead, for five
   * seconds; then one call at a time may try, and the first to succeed opens the way for all. What the upstream
   * refuses, and what its caller gave up, is not a failure of the upstream.
   */
  run<T>(call: () => Promise<T>): Promise<T>;
};

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5000;

/** A breaker for all calls of this process to one service. */
export function createCircuitBreaker(service: UpstreamService, clock: Clock, log: Log): CircuitBreaker {
  let failures = 0;
  let openUntil = 0;
  let trying = false;

  const settle = (failed: boolean) => {
    failures = failed ? failures + 1 : 0;
    if (failures < FAILURES_TO_OPEN) return;
    if (failures === FAILURES_TO_OPEN) log.error({ service }, 'upstream failing: circuit open');
    openUntil = clock() + OPEN_MS;
  };

  return {
    async run(call) {
      const isProbe = failures >= FAILURES_TO_OPEN;
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
