/** What a process uses, as Linux counts it. Other systems have no `/proc`. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** The most that Node uses by itself for objects on a machine of 512 MB. */
export const SMALL_HEAP = '--max-old-space-size=256';

export const countsUsage = existsSync('/proc/self/fd');

/** Returns the number of open files and sockets; 0 for a process that has exited. */
export function openDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Returns the bytes of memory in use; 0 for a process that has exited. */
export function residentBytes(pid: number): number {
  return readStatus(pid, 'VmRSS');
}

/** Returns the most bytes of memory in use since the last call of `forgetPeak`; 0 for a process that has exited. */
export function peakResidentBytes(pid: number): number {
  return readStatus(pid, 'VmHWM');
}

/** Makes the peak of the memory in use start again at its present value. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function readStatus(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
