/** What a single request may cost the site: CPU time, memory, bytes of the response and of the log. */
import type { RawRequest } from '../http/raw-request.ts';
import type { HeapInspector } from '../processes/heap-inspector.ts';
import { watchPeak } from '../processes/process-usage.ts';

const MEBIBYTE = 1024 * 1024;

/** The CPU time of a request, in rendered pages, which do not depend on the speed of the machine. */
const MAX_PAGES = 12;
/** What a body adds to it: most of it is parsed. */
const PAGES_PER_MEBIBYTE = 20;
/** More than the garbage of any allowed request between two collections. */
const MAX_MEGABYTES = 80;

export type Cost = { pages: number; megabytes: number };

export type CostMeter = {
  /** Returns what `send` costs the process, if nothing else happens at the same time. */
  measure<T>(send: () => Promise<T>): Promise<{ value: T; cost: Cost }>;
};

const REFERENCE_ROUNDS = 15;

/** Creates a meter for the process `pid`. `sendPage` requests a rendered page, the unit of the CPU time. */
export async function createCostMeter(
  { cpuMs }: HeapInspector,
  pid: number,
  sendPage: () => Promise<unknown>,
): Promise<CostMeter> {
  const timeOf = async <T>(send: () => Promise<T>) => {
    const before = await cpuMs();
    const value = await send();
    return { value, ms: (await cpuMs()) - before };
  };
  // The first pages of a process take longer.
  for (let round = 0; round < REFERENCE_ROUNDS * 3; round++) await sendPage();
  const times: number[] = [];
  for (let round = 0; round < REFERENCE_ROUNDS; round++) times.push((await timeOf(sendPage)).ms);
  const page = times.sort((a, b) => a - b)[Math.floor(REFERENCE_ROUNDS / 2)] ?? 1;
  return {
    async measure(send) {
      const growth = watchPeak(pid);
      const { value, ms } = await timeOf(send);
      return { value, cost: { pages: ms / page, megabytes: growth() } };
    },
  };
}

/** Returns which cost of a request is too high, or null. */
export function findExcess({ body = '' }: RawRequest, { pages, megabytes }: Cost): string | null {
  const most = MAX_PAGES + (body.length / MEBIBYTE) * PAGES_PER_MEBIBYTE;
  if (pages > most)
    return `costs ${Math.round(pages)} pages of CPU time instead of at most ${Math.round(most)}`;
  return megabytes > MAX_MEGABYTES ? `costs ${Math.round(megabytes)} MB of memory` : null;
}

/** Returns the lower of two costs, each measured at another time: other processes and threads only add to it. */
export function lower(one: Cost, other: Cost): Cost {
  return {
    pages: Math.min(one.pages, other.pages),
    megabytes: Math.min(one.megabytes, other.megabytes),
  };
}
