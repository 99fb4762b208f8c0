/** The process of an honest visitor, which honest-visitor.ts starts. */
import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { sendRaw } from '../http/raw-request.ts';

/** The first message to the process. The second one ends the visits. */
export type VisitorOrder = {
  origin: string;
  paths: readonly string[];
  localAddress: string | undefined;
  /** Milliseconds after which the process reports the first request that has no response yet. */
  longWaitMs: number | undefined;
};

/** The last message of the process: the milliseconds of each request, and the failures with their paths. */
export type VisitorReport = { times: number[]; failures: string[] };

/** The address of the honest visitor, for a site behind a trusted proxy. */
const ADDRESS = '198.51.100.1';
const PAUSE_MS = 20;
/** A visitor does not wait longer. */
const PATIENCE_MS = 30_000;

const [order] = (await once(process, 'message')) as [VisitorOrder];
const from = order.localAddress === undefined ? {} : { localAddress: order.localAddress, family: 4 };
const agent = new Agent({ keepAlive: true, timeout: PATIENCE_MS, ...from });
const report: VisitorReport = { times: [], failures: [] };
let isEnded = false;
let hasWaited = false;

const visits = order.paths.map(visit);
send('runs');
await once(process, 'message');
isEnded = true;
await Promise.all(visits);
agent.destroy();
send(report);
process.disconnect();

async function visit(path: string): Promise<void> {
  while (!isEnded) {
    const startedAt = performance.now();
    const warning = setTimeout(reportWait, order.longWaitMs ?? PATIENCE_MS);
    const request = sendRaw(order.origin, { path, headers: { 'x-forwarded-for': ADDRESS } }, agent);
    const outcome = await Promise.race([
      request.then(({ status }) => status, String),
      delay(PATIENCE_MS, 'no response', { ref: false }),
    ]);
    clearTimeout(warning);
    const ms = performance.now() - startedAt;
    // The requests that would have been sent in the meantime would have waited too.
    for (let wait = ms; wait === ms || wait > 0; wait -= PAUSE_MS) report.times.push(wait);
    if (outcome !== 200) report.failures.push(`${path} ${outcome}`);
    await delay(PAUSE_MS);
  }
}

function reportWait(): void {
  if (!hasWaited) send('waits');
  hasWaited = true;
}

function send(message: VisitorReport | 'runs' | 'waits'): void {
  process.send?.(message);
}
