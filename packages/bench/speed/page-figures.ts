/** Pages: the anonymous one beside two bare servers, and the one that is rendered for a signed-in visitor. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Round, warmUp } from '../load/rounds.ts';
import { type Server, startScript } from '../load/servers.ts';
import { sendRequest } from './exchange.ts';
import type { Report } from './report.ts';
import type { Coding, Settings } from './settings.ts';
import { type MeasuredSite, pageRequest, type Sites } from './sites.ts';
import { measureProcesses, measureStates } from './states.ts';

/** Adds the rows of the anonymous page `/`. */
export async function measureAnonymousPage(
  coding: Coding,
  sites: Sites,
  settings: Settings,
  report: Report,
): Promise<void> {
  const rounds = await measureProcesses(settings.processes, () => measureOneProcess(coding, sites, settings));
  const add = report.figuresOf(rounds);
  const name = `Anonymous page (${coding})`;
  add(`**${name}: CPU time, of a bare server with the same head**`, ratioTo('sameHead'), 2, ' ×');
  add('… of a bare server with a minimal head', ratioTo('minimal'), 2, ' ×');
  for (const [contender, suffix] of CONTENDERS) {
    add(`… CPU time per request${suffix}`, (round) => round[contender].cpuMicros, 1, ' µs');
  }
  for (const [contender, suffix] of CONTENDERS) {
    add(`… requests per second${suffix}`, (round) => round[contender].perSecond, 0);
  }
}

const CONTENDERS = [
  ['site', ''],
  ['sameHead', ', bare server with the same head'],
  ['minimal', ', bare server with a minimal head'],
] as const;

const ratioTo =
  <Name extends 'sameHead' | 'minimal'>(contender: Name) =>
  (round: Round<'site' | Name>): number =>
    round.site.cpuMicros / round[contender].cpuMicros;

async function measureOneProcess(coding: Coding, sites: Sites, settings: Settings) {
  const site = await sites.start();
  const { sameHead, minimal } = await startBareServers(site, coding);
  const request = pageRequest(site, '/', coding);
  const contenders = {
    site: { server: site, request },
    sameHead: { server: sameHead, request },
    minimal: { server: minimal, request },
  };
  const measured = await measureStates(contenders, [site], settings);
  for (const server of [site, sameHead, minimal]) await server.stop();
  return measured;
}

/** Adds the rows of the French home page for a signed-in visitor. */
export async function measureSignedInPage(
  coding: Coding,
  sites: Sites,
  settings: Settings,
  report: Report,
): Promise<void> {
  const site = await sites.start();
  const { sameHead, minimal } = await startBareServers(site, coding);
  await minimal.stop();
  const cookie = await site.signUp();
  const contenders = {
    site: { server: site, request: pageRequest(site, '/fr', coding, cookie) },
    sameHead: { server: sameHead, request: pageRequest(site, '/', coding) },
  };
  const rounds = await measureStates(contenders, [site], settings);
  for (const server of [site, sameHead]) await server.stop();
  const add = report.figuresOf(rounds);
  add(`Signed-in page (${coding}): CPU time per request`, ({ site }) => site.cpuMicros / 1000, 2, ' ms');
  add('… CPU time, of the bare server with the same head', ratioTo('sameHead'), 0, ' ×');
  add('… requests per second', ({ site }) => site.perSecond, 0);
}

/** Headers that Node adds itself. */
const ADDED_BY_NODE = ['connection', 'date', 'keep-alive'];
const MINIMAL_HEAD = ['content-type', 'content-encoding', 'content-length'];

/** Starts two servers that send what the site sends for `/`: one with the same head, one with only what a body needs. */
async function startBareServers(
  site: MeasuredSite,
  coding: Coding,
): Promise<Record<'sameHead' | 'minimal', Server>> {
  const request = pageRequest(site, '/', coding);
  await warmUp([{ server: site, request }], 1);
  // A cached page is compressed better in the background; the bare servers send the result.
  await delay(1500);
  const { rawHeaders, body } = await sendRequest(site.port, request);
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const file = join(folder, 'body');
  writeFileSync(file, body);
  const startWith = (isSent: (name: string) => boolean) => {
    const head = rawHeaders.filter((_, index) => isSent((rawHeaders[index & ~1] ?? '').toLowerCase()));
    return startScript('bare-page.mjs', [file, JSON.stringify(head)]);
  };
  const sameHead = await startWith((name) => !ADDED_BY_NODE.includes(name));
  const minimal = await startWith((name) => MINIMAL_HEAD.includes(name));
  rmSync(folder, { recursive: true });
  return { sameHead, minimal };
}
