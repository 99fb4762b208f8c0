/** Attacks by responses that are requested and not read. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { peakUsageOf, usageOf } from '../processes/process-usage.ts';
import type { Site } from '../processes/site.ts';
import { describeVisits, startVisits, visitInQuiet, wereServed } from './honest-visitor.ts';
import { openHostileSockets, requestText } from './hostile-socket.ts';
import { type AttackResult, attack, type VictimOptions } from './victim.ts';

/** How long the attacker waits before the connections are closed. */
const ATTACK_MS = 4000;

type UnreadRequests = { connections: number; requestsEach: number; path: string };

/** Sends the requests, and reads no response, while an honest visitor reads the site. */
async function requestUnread(site: Site, { connections, requestsEach, path }: UnreadRequests) {
  const quiet = await visitInQuiet(site.origin);
  const before = usageOf(site);
  const visits = await startVisits(site.origin);
  const sockets = await openHostileSockets(site.origin, connections);
  const headers = { 'x-forwarded-for': '203.0.113.1' };
  const requests = requestText(site.origin, { path, headers }).repeat(requestsEach);
  for (const socket of sockets) socket.write(requests);
  const peak = await peakUsageOf(site, ATTACK_MS);
  const attacked = await visits.end();
  for (const socket of sockets) socket.destroy();
  return { quiet, before, peak, attacked };
}

/** Requests a page many times on a few connections and reads no response. An honest visitor must not notice. */
export function requestPagesUnread(
  requests: UnreadRequests,
  options: VictimOptions = {},
): Promise<AttackResult> {
  return attack(options, async ({ site }) => {
    const { quiet, peak, attacked } = await requestUnread(site, requests);
    const isAlive = site.isRunning() ? 'runs' : 'has died';
    const megabytes = Math.round(peak.megabytes);
    return {
      passed: site.isRunning() && wereServed(quiet, attacked, options.maxP99Ms),
      result: `the process ${isAlive}, at most ${megabytes} MB; ${describeVisits(quiet, attacked)}`,
    };
  });
}

/** Connections that may exist besides those of the attack: upstreams, the honest visitor, the log. */
const OTHER_DESCRIPTORS = 50;
/** The connection itself, and the file that is being sent. */
const DESCRIPTORS_EACH = 2;

/** Requests the largest file many times on many connections and reads no response: few files may be open. */
export function requestFilesUnread({
  connections,
  requestsEach,
  directory = '.',
  ...options
}: Omit<UnreadRequests, 'path'> & VictimOptions): Promise<AttackResult> {
  return attack({ ...options, directory }, async ({ site }) => {
    const requests = { connections, requestsEach, path: largestAsset(directory) };
    const { quiet, before, peak, attacked } = await requestUnread(site, requests);
    const limit = before.descriptors + connections * DESCRIPTORS_EACH + OTHER_DESCRIPTORS;
    const usage = `${peak.descriptors} descriptors (${before.descriptors} before)`;
    return {
      passed: site.isRunning() && peak.descriptors <= limit && wereServed(quiet, attacked, options.maxP99Ms),
      result: `at most ${usage}; ${describeVisits(quiet, attacked)}`,
    };
  });
}

/** Returns the address of the largest file that a browser can request. */
export function largestAsset(directory: string): string {
  const folder = join(directory, 'build/client/assets');
  const sizes = readdirSync(folder)
    .filter((name) => /\.(?:js|css)$/.test(name))
    .map((name) => ({ name, size: statSync(join(folder, name)).size }));
  const [largest] = sizes.sort((a, b) => b.size - a.size);
  if (!largest) throw new Error(`There is no asset in ${folder}`);
  return `/assets/${largest.name}`;
}
