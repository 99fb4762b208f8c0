/**
 * A visitor who reads the site while it is attacked: a cached page, a rendered page and the health check, again and
 * again, on connections of their own.
 */
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { sendRaw } from '../http/raw-request.ts';
import { examplePath, otherHome } from '../this-site.ts';

export type Visits = {
  /** Responses, including those that visitors did not request because they were still waiting. */
  count: number;
  /** The status or error of each request that failed, with its path. */
  failures: string[];
  /** Milliseconds, by share of the requests. */
  median: number;
  p99: number;
  worst: number;
};

const PATHS = [otherHome, `${examplePath()}?rendered=1`, '/healthz'];
/** The address of the honest visitor, for a site behind a trusted proxy. */
const ADDRESS = '198.51.100.1';
const PAUSE_MS = 20;
/** A visitor does not wait longer. */
const PATIENCE_MS = 15_000;
const MAX_P99_MS = 250;
/** On a slow or busy machine a response takes longer also without an attack. */
const MAX_TIMES_QUIET = 20;

export type RunningVisits = {
  end(): Promise<Visits>;
  /** For how many milliseconds the visitor has been waiting for a response. */
  waiting(): number;
};

/** Starts the visits of one visitor, from a local address. `end` resolves after the last response. */
export function startVisits(origin: string, localAddress?: string): RunningVisits {
  const from = localAddress === undefined ? {} : { localAddress, family: 4 };
  const agent = new Agent({ keepAlive: true, timeout: PATIENCE_MS, ...from });
  const failures: string[] = [];
  const times: number[] = [];
  const pending = new Map<string, number>();
  let isEnded = false;
  const visit = async (path: string) => {
    while (!isEnded) {
      const startedAt = performance.now();
      pending.set(path, startedAt);
      const request = sendRaw(origin, { path, headers: { 'x-forwarded-for': ADDRESS } }, agent);
      const outcome = await Promise.race([
        request.then(({ status }) => status, String),
        delay(PATIENCE_MS, 'no response', { ref: false }),
      ]);
      const ms = performance.now() - startedAt;
      pending.delete(path);
      // The requests that would have been sent in the meantime would have waited too.
      for (let wait = ms; wait === ms || wait > 0; wait -= PAUSE_MS) times.push(wait);
      if (outcome !== 200) failures.push(`${path} ${outcome}`);
      await delay(PAUSE_MS);
    }
  };
  const visits = PATHS.map(visit);
  return {
    waiting: () => Math.max(0, ...[...pending.values()].map((startedAt) => performance.now() - startedAt)),
    async end() {
      isEnded = true;
      await Promise.all(visits);
      agent.destroy();
      return summarize(times, failures);
    },
  };
}

/** Visits the site for a while. The first visits of a process take longer and are not counted. */
export async function visitInQuiet(origin: string, ms = 1500, localAddress?: string): Promise<Visits> {
  const first = startVisits(origin, localAddress);
  await delay(ms / 2);
  await first.end();
  const visits = startVisits(origin, localAddress);
  await delay(ms);
  return visits.end();
}

/** Whether the visitor was served during an attack as before it, as far as people notice. */
export function wereServed(quiet: Visits, attacked: Visits, maxMs?: number): boolean {
  return attacked.failures.length === 0 && attacked.p99 <= maxP99(quiet, maxMs);
}

/** The most that the slowest hundredth of the requests may take, in milliseconds: `maxMs`, or more on a slow machine. */
export function maxP99({ median }: Visits, maxMs = MAX_P99_MS): number {
  return Math.max(maxMs, median * MAX_TIMES_QUIET);
}

/** States the figures of an attack in one sentence. */
export function describeVisits(quiet: Visits, { count, failures, p99, worst }: Visits): string {
  const failed = failures.length === 0 ? '0 failed' : `${failures.length} failed (${failures[0]})`;
  const [last, longest, before] = [p99, worst, quiet.p99].map(Math.round);
  return `honest visitor: ${count} requests, ${failed}, p99 ${last} ms (${before} ms before), longest ${longest} ms`;
}

function summarize(times: readonly number[], failures: string[]): Visits {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: times.length, failures, median: at(0.5), p99: at(0.99), worst: at(1) };
}
