/** What a process uses, as Linux counts it. All values are 0 on other systems, and for a process that has exited. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Site } from './site.ts';

/** The most that Node uses by itself for objects on a machine of 512 MB. */
export const SMALL_HEAP = '--max-old-space-size=256';

const KIBIBYTES_PER_MEBIBYTE = 1024;
/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** The open files and sockets, and the memory. */
export type Usage = { descriptors: number; megabytes: number };

/** Returns what the first process of a site uses. */
export function usageOf({ pids: [pid = 0] }: Pick<Site, 'pids'>): Usage {
  return { descriptors: openDescriptors(pid), megabytes: readMegabytes(pid, 'VmRSS') };
}

/** Returns the most that the process of a site uses within `ms` milliseconds, or until it exits. */
export async function peakUsageOf(site: Site, ms: number): Promise<Usage> {
  const peak: Usage = { descriptors: 0, megabytes: 0 };
  for (const end = performance.now() + ms; performance.now() < end && site.isRunning(); await delay(100)) {
    const now = usageOf(site);
    peak.descriptors = Math.max(peak.descriptors, now.descriptors);
    peak.megabytes = Math.max(peak.megabytes, now.megabytes);
  }
  return peak;
}

/** Returns the CPU time that the process has used, user and system. */
export function cpuSeconds(pid: number): number {
  try {
    // The second field, the name of the program, may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Returns the number of open files and sockets. */
export function openDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Returns a function that tells by how many mebibytes the memory in use has grown at its peak from now on. */
export function watchPeak(pid: number): () => number {
  if (!existsSync('/proc/self/clear_refs')) return () => 0;
  // The peak starts again at the present value.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = readMegabytes(pid, 'VmRSS');
  return () => readMegabytes(pid, 'VmHWM') - before;
}

function readMegabytes(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / KIBIBYTES_PER_MEBIBYTE;
  } catch {
    return 0;
  }
}
