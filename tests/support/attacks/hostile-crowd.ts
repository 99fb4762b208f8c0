/** Many hostile clients at once, while an honest visitor reads the site. */
import { setTimeout as delay } from 'node:timers/promises';
import { createSeededRandom } from '../fuzzing/seeded-random.ts';
import { countsUsage, openDescriptors, residentBytes } from '../processes/process-usage.ts';
import { describeVisits, maxP99, startVisits, visitInQuiet, wereServed } from './honest-visitor.ts';
import { hostileClient } from './hostile-behaviors.ts';
import { largestAsset } from './pending-responses.ts';
import { type AttackResult, attack, type VictimOptions } from './victim.ts';

export type Crowd = {
  seed: number;
  /** Clients at the same time. One that ends is replaced by the next. */
  clients: number;
  /** How long the attack lasts. */
  ms: number;
};

const MEBIBYTE = 1024 * 1024;
/** Garbage that has not been collected yet, and the buffers that a process keeps. */
const MAX_GROWTH = 150 * MEBIBYTE;
const MAX_MORE_DESCRIPTORS = 30;
/** How long the process may take to release what closed connections used. */
const RELEASE_MS = 10_000;
/** The first clients connect one after the other. Each may cost the parsing of 64 KiB of requests. */
const ARRIVAL_MS = 25;
/** A client gives up then, and another one takes its place. */
const CLIENT_MS = 4000;

/** Attacks a site with generated clients. `result` names the clients that were connected when the site failed. */
export function attackWithCrowd(
  { seed, clients, ms }: Crowd,
  { directory = '.', maxP99Ms, ...options }: VictimOptions = {},
): Promise<AttackResult> {
  const environment = { LOG_LEVEL: 'error', ...options.environment };
  return attack({ directory, environment }, async ({ site }) => {
    const asset = largestAsset(directory);
    const quiet = await visitInQuiet(site.origin);
    const [pid = 0] = site.pids;
    const usage = () => ({ descriptors: openDescriptors(pid), bytes: residentBytes(pid) });
    const before = countsUsage ? usage() : null;
    const connected = new Set<string>();
    let suspects: string[] = [];
    const visits = await startVisits(site.origin, {
      longWaitMs: maxP99(quiet, maxP99Ms),
      onLongWait: () => {
        suspects = [...connected];
      },
    });
    let next = 0;
    const end = performance.now() + ms;
    const lane = async (_: unknown, laneIndex: number) => {
      await delay(laneIndex * ARRIVAL_MS);
      while (performance.now() < end && site.isRunning()) {
        const index = next++;
        const client = hostileClient(createSeededRandom(seed, index), asset);
        const name = `${index}: ${client.description}`;
        connected.add(name);
        const rest = Math.min(CLIENT_MS, end - performance.now());
        await client.run(site.origin, AbortSignal.timeout(Math.ceil(Math.max(0, rest))));
        connected.delete(name);
      }
    };
    await Promise.all(Array.from({ length: clients }).map(lane));
    const attacked = await visits.end();
    const held = before === null ? null : await findHeld(before, usage);
    const isAlive = site.isRunning();
    const seen = [
      `seed ${seed}, ${next} clients`,
      `the process ${isAlive ? 'runs' : 'has died'}`,
      describeVisits(quiet, attacked),
      ...(held === null ? [] : [held]),
      // Of the clients that were connected when the honest visitor first had to wait, one has caused it.
      ...(suspects.length === 0 ? [] : [`suspects: ${suspects.join('; ')}`]),
    ];
    return {
      passed: isAlive && held === null && wereServed(quiet, attacked, maxP99Ms),
      result: seen.join('; '),
    };
  });
}

type Usage = { descriptors: number; bytes: number };

/** Returns what the process still holds after the connections were closed, or null if it has released nearly all. */
async function findHeld(before: Usage, usage: () => Usage): Promise<string | null> {
  let now = usage();
  const isReleased = () =>
    now.descriptors <= before.descriptors + MAX_MORE_DESCRIPTORS && now.bytes <= before.bytes + MAX_GROWTH;
  for (const end = performance.now() + RELEASE_MS; performance.now() < end && !isReleased(); now = usage()) {
    await delay(200);
  }
  if (isReleased()) return null;
  const [bytes, bytesBefore] = [now.bytes, before.bytes].map((each) => Math.round(each / MEBIBYTE));
  return `still ${now.descriptors} descriptors (${before.descriptors} before), ${bytes} MB (${bytesBefore} MB before)`;
}
