/** Many hostile clients at once, while an honest visitor reads the site. */
import { setTimeout as delay } from 'node:timers/promises';
import { createSeededRandom } from '../fuzzing/seeded-random.ts';
import { type Usage, usageOf } from '../processes/process-usage.ts';
import type { Site } from '../processes/site.ts';
import { waitUntil } from '../timing/wait-until.ts';
import { describeVisits, maxP99, startVisits, visitInQuiet, wereServed } from './honest-visitor.ts';
import { hostileClient } from './hostile-behaviors.ts';
import { largestAsset } from './pending-responses.ts';
import { type AttackResult, attack, type VictimOptions } from './victim.ts';

type Crowd = {
  seed: number;
  /** Clients at the same time. One that ends is replaced by the next. */
  clients: number;
  /** How long the attack lasts. */
  ms: number;
};

/** Garbage that has not been collected yet, and the buffers that a process keeps. */
const MAX_MORE_MEGABYTES = 150;
const MAX_MORE_DESCRIPTORS = 30;
/** How long the process may take to release what closed connections used. */
const RELEASE_MS = 60_000;
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
    const before = usageOf(site);
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
    const held = await findHeld(site, before);
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

/** Returns what the process still holds after the connections were closed, or null if it has released nearly all. */
async function findHeld(site: Site, before: Usage): Promise<string | null> {
  const isReleased = () => {
    const { descriptors, megabytes } = usageOf(site);
    return (
      descriptors <= before.descriptors + MAX_MORE_DESCRIPTORS &&
      megabytes <= before.megabytes + MAX_MORE_MEGABYTES
    );
  };
  const message = () => {
    const { descriptors, megabytes } = usageOf(site);
    const [now, atFirst] = [megabytes, before.megabytes].map(Math.round);
    return `still ${descriptors} descriptors (${before.descriptors} before), ${now} MB (${atFirst} MB before)`;
  };
  return waitUntil(isReleased, { message, timeoutMs: RELEASE_MS, intervalMs: 200 }).then(
    () => null,
    (error: Error) => error.message,
  );
}
