/** Logs violations of the Content-Security-Policy: each kind once an hour, and a limited number of kinds. */
import type { Log } from '../observability/log.ts';
import type { Clock } from '../resilience/clock.ts';
import type { PolicyViolation } from './policy-report.ts';

const WINDOW_MS = 60 * 60 * 1000;

/** Kinds of violations per hour. Pages of this site violate their policy in no way, so that this is ample. */
const MAX_KINDS = 100;

/** Creates the function that logs a violation, unless this hour's log has it or is full. */
export function createViolationLog({ log, clock }: { log: Log; clock: Clock }) {
  const logged = new Set<string>();
  let windowEnd = 0;
  return ({ directive, blocked, page }: PolicyViolation): void => {
    if (clock() >= windowEnd) {
      logged.clear();
      windowEnd = clock() + WINDOW_MS;
    }
    const kind = JSON.stringify([directive, blocked, page]);
    if (logged.has(kind) || logged.size > MAX_KINDS) return;
    logged.add(kind);
    if (logged.size <= MAX_KINDS) log.warn({ directive, blocked, page }, 'content security policy violated');
    else log.warn({ limit: MAX_KINDS }, 'further policy violations of this hour are only counted');
  };
}
