/** Heads of many short lines take more memory than their bytes. The control is as many bytes in long lines. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  describeVisits,
  startVisits,
  visitInQuiet,
  wereServed,
} from '../../support/attacks/honest-visitor.ts';
import { openHostileSockets } from '../../support/attacks/hostile-socket.ts';
import { type AttackResult, attack, type Victim } from '../../support/attacks/victim.ts';
import { examplePath } from '../../support/this-site.ts';

/** Other tests use the same processors, and the machine may be slow. What fails without the limits is the process. */
const MAX_P99_MS = 25_000;
const ATTACK_MS = 8000;
const HEAD_BYTES = 32_000;

/** The bytes of the lines of the control. */
const LONG = 1000;

/** Returns a head without its end. */
function headOf({ site }: Victim, path: string, lines: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: ${new URL(site.origin).host}\r\n${lines}`;
}

/** Returns as many lines of `length` bytes as a head can have. */
const linesOf = (length: number) => `a:${'x'.repeat(length - 4)}\r\n`.repeat(Math.floor(HEAD_BYTES / length));

/** Sends the bytes on each of `count` connections, which read nothing, while an honest visitor reads the site. */
async function sendHeads(victim: Victim, count: number, bytes: string): Promise<AttackResult> {
  const { site } = victim;
  const quiet = await visitInQuiet(site.origin);
  const visits = await startVisits(site.origin);
  const sockets = await openHostileSockets(site.origin, count);
  for (const socket of sockets) socket.write(bytes);
  await delay(ATTACK_MS);
  const attacked = await visits.end();
  for (const socket of sockets) socket.destroy();
  const passed = site.isRunning() && wereServed(quiet, attacked, MAX_P99_MS);
  return { passed, result: `running: ${site.isRunning()}; ${describeVisits(quiet, attacked)}` };
}

describe('the honest visitor is served, and the process runs, beside heads', () => {
  // threat-model: T-110
  it.each([30, LONG])('that 4,000 connections do not finish, of lines with %i bytes', async (length) => {
    const { passed, result } = await attack({}, (victim) =>
      sendHeads(victim, 4000, headOf(victim, '/', linesOf(length))),
    );
    expect(passed, result).toBe(true);
  });

  // threat-model: T-110
  it.each([7, LONG])('that wait behind a page without its data, of lines with %i bytes', async (length) => {
    const { passed, result } = await attack({}, async (victim) => {
      const ada = await victim.signUp('ada');
      victim.cloud.faults.set({ faults: [{ service: 'graphql', kind: 'slow', delayMs: 4000 }] });
      const page = headOf(victim, examplePath(), `cookie: ${ada.cookies.header()}\r\n\r\n`);
      const waiting = headOf(victim, '/', `${linesOf(length)}\r\n`);
      return sendHeads(victim, 60, page + waiting.repeat(16));
    });
    expect(passed, result).toBe(true);
  });
});
