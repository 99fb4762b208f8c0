/** Logs violations of the Content-Security-Policy: each kind once an hour, and a limited number of kinds. */
import type { Log } from '../observability/log.ts';
import type { Clock } from '../resilience/clock.ts';
import type { PolicyViolation } from './policy-report.ts';

const WINDOW_MS = 60 * 60 * 1000;

/** Kinds of violations per hour. Pages of this site violate their policy in no way, so that this is ample. */
const MAX_KINDS = 100;

/** The log of violations of a process. */
export class ViolationLog {
  readonly #logged = new Set<string>();
  #windowEnd = 0;

  constructor(private readonly deps: { log: Log; clock: Clock }) {}

  /** Logs a violation, unless this hour's log has it or is full. */
  add({ directive, blocked, page }: PolicyViolation): void {
    const { log, clock } = this.deps;
    if (clock() >= this.#windowEnd) {
      this.#logged.clear();
      this.#windowEnd = clock() + WINDOW_MS;
    }
    const kind = JSON.stringify([directive, blocked, page]);
    if (this.#logged.has(kind) || this.#logged.size > MAX_KINDS) return;
    this.#logged.add(kind);
    if (this.#logged.size <= MAX_KINDS) {
      log.warn({ directive, blocked, page }, 'content security policy violated');
    } else {
      log.warn({ limit: MAX_KINDS }, 'further policy violations of this hour are only counted');
    }
  }
}
