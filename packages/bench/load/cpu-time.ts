/** CPU time and memory of other processes. A busy load generator cannot distort it as it distorts throughput. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Linux reports CPU time to user space in hundredths of a second (USER_HZ), whatever its own tick is. */
const MS_PER_TICK = 10;

/** Milliseconds of CPU time, user and system, that a process and all its threads have used. */
export function cpuMilliseconds(pid: number): number {
  if (process.platform === 'linux') return readProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return readPsTime(execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }));
}

/** Reads fields 14 (user) and 15 (system) of `/proc/PID/stat`. The second field, a name, may contain spaces. */
export function readProcStat(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** Reads the time column of `ps`: `[[dd-]hh:]mm:ss[.cc]`. */
export function readPsTime(time: string): number {
  const [days = '0', clock = ''] = time.includes('-') ? time.trim().split('-') : ['0', time.trim()];
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1000;
}

/** Resident memory of a process in MiB. */
export function residentMebibytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

/** The most resident memory that a process has had, in MiB. Only Linux keeps this figure. */
export function peakResidentMebibytes(pid: number): number {
  return readPeakResident(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** Reads `VmHWM`, in MiB, from `/proc/PID/status`. */
export function readPeakResident(status: string): number {
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
