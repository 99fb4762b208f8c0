/**
 * Clients that hold connections and do nothing, or everything slowly, directed at one process from other addresses than
 * that of the honest visitor. What they do is bounded, and stays on this machine.
 */
import { fork, spawn, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import {
  describeVisits,
  startVisits,
  type Visits,
  visitInQuiet,
} from '../../../tests/support/attacks/honest-visitor.ts';
import { largestAsset } from '../../../tests/support/attacks/pending-responses.ts';
import { attack } from '../../../tests/support/attacks/victim.ts';
import { stopChild } from '../../../tests/support/processes/child-process.ts';
import type { Check, CheckResult } from './check.ts';

const CONNECTIONS = 10_000;
/** Of slow clients: nearly as many as one address may have. */
const SLOW_CONNECTIONS = 2000;
/** Twice as many as by default. With a thousand, the cost of their requests would be measured, not that of slow clients. */
const OPENED_PER_SECOND = 100;
const QUIET_MS = 8000;
const ATTACK_MS = 24_000;
/** The honest visitor comes from here, the attack from 127.0.0.1 and 127.0.1.x. */
const VISITOR_ADDRESS = '127.0.0.2';

const EXPECTATION = 'honest visitor: 0 failed, p99 at most twice that before';

/** The modes of slowhttptest: slow headers, a slow body, a response that is read slowly, and many ranges. */
const slowModes = {
  'slow headers': ['-H', '-i', '2'],
  'slow bodies': ['-B', '-i', '2', '-s', '8192'],
  'slow reading': ['-X', '-w', '1', '-y', '16', '-n', '2', '-z', '8'],
  'many ranges': ['-R', '-a', '1', '-b', '3000'],
} as const;

type Attacker = { name: string; start(port: number, path: string): () => Promise<void> };

/** Checks of the build in `directory`. Those that need slowhttptest are left out where it is not installed. */
export function slowChecks(directory: string): Check[] {
  const hasProgram = spawnSync('slowhttptest', ['-h']).error === undefined;
  const slow = Object.entries(hasProgram ? slowModes : {}).map(([name, args]) => ({
    name: `${SLOW_CONNECTIONS.toLocaleString('en')} connections with ${name}`,
    start: (port: number, path: string) => startSlowhttptest(args, port, path),
  }));
  const idle = { name: `${CONNECTIONS.toLocaleString('en')} idle connections`, start: startIdle };
  return [idle, ...slow].map((attacker) => ({
    name: `slow clients: ${attacker.name}`,
    expectation: EXPECTATION,
    run: () => visitBeside(attacker, directory),
  }));
}

function visitBeside({ start }: Attacker, directory: string): Promise<CheckResult> {
  return attack({ directory, environment: { TRUSTED_PROXIES: '0' } }, async ({ site }) => {
    const quiet = await visitInQuiet(site.origin, QUIET_MS, VISITOR_ADDRESS);
    const visits = await startVisits(site.origin, { localAddress: VISITOR_ADDRESS });
    const stop = start(Number(new URL(site.origin).port), largestAsset(directory));
    await delay(ATTACK_MS);
    const attacked = await visits.end();
    await stop();
    return {
      passed: site.isRunning() && attacked.failures.length === 0 && attacked.p99 <= 2 * quiet.p99,
      result: compare(quiet, attacked),
    };
  });
}

function compare(quiet: Visits, attacked: Visits): string {
  return `${describeVisits(quiet, attacked)}, ${(attacked.p99 / quiet.p99).toFixed(1)} times`;
}

function startIdle(port: number): () => Promise<void> {
  const script = new URL('../servers/idle-connections.mjs', import.meta.url);
  const child = fork(script, [String(port), String(CONNECTIONS)], { execArgv: [] });
  return () => stopChild(child, 'SIGKILL');
}

function startSlowhttptest(mode: readonly string[], port: number, path: string): () => Promise<void> {
  const seconds = String(ATTACK_MS / 1000);
  const url = `http://localhost:${port}${path}`;
  const load = ['-c', String(SLOW_CONNECTIONS), '-r', String(OPENED_PER_SECOND), '-l', seconds, '-p', '30'];
  const child = spawn('slowhttptest', [...mode, ...load, '-u', url, '-v', '0'], { stdio: 'ignore' });
  return () => stopChild(child, 'SIGKILL');
}
