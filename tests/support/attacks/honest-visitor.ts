/**
 * A visitor who reads the site while it is attacked: a cached page, a rendered page and the health check, again and
 * again, on connections of their own.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { examplePath, otherHome } from '../this-site.ts';
import type { VisitorOrder, VisitorReport } from './honest-visitor-process.ts';

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
/** On a slow or busy machine a response takes longer also without an attack. */
const MAX_TIMES_QUIET = 20;
const MAX_P99_MS = 250;

export type VisitOptions = {
  localAddress?: string | undefined;
  /** Milliseconds after which `onLongWait` is called for the first request that has no response yet. */
  longWaitMs?: number;
  onLongWait?: () => void;
};

/**
 * Starts the visits of one visitor. They run in a process of their own: in that of the attack, the visitor would wait
 * for the attack's own work. `end` resolves after the last response.
 */
export async function startVisits(
  origin: string,
  { localAddress, longWaitMs, onLongWait = () => {} }: VisitOptions = {},
): Promise<{ end(): Promise<Visits> }> {
  const file = fileURLToPath(new URL('honest-visitor-process.ts', import.meta.url));
  const visitor = fork(file, { execArgv: ['--import', 'tsx'] });
  onTestFinished(() => void visitor.kill('SIGKILL'));
  const order: VisitorOrder = { origin, paths: PATHS, localAddress, longWaitMs };
  visitor.send(order);
  await once(visitor, 'message');
  const isOver = once(visitor, 'exit');
  const seen = new Promise<VisitorReport>((resolve) => {
    visitor.on('message', (message: VisitorReport | 'waits') =>
      message === 'waits' ? onLongWait() : resolve(message),
    );
  });
  return {
    async end() {
      visitor.send('end');
      const { times, failures } = await seen;
      await isOver;
      return summarize(times, failures);
    },
  };
}

/** Visits the site for a while. The first visits of a process take longer and are not counted. */
export async function visitInQuiet(origin: string, ms = 1500, localAddress?: string): Promise<Visits> {
  const first = await startVisits(origin, { localAddress });
  await delay(ms / 2);
  await first.end();
  const visits = await startVisits(origin, { localAddress });
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
