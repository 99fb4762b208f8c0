import { describe, expect, it } from 'vitest';
import { cpuMilliseconds, readPeakResident, readProcStat, readPsTime } from '../../load/cpu-time.ts';

describe('the CPU time of a process', () => {
  it('is the sum of user and system time in /proc/PID/stat', () => {
    const stat = '42 (node (main) x) S 1 42 42 0 -1 4194560 9 0 0 0 150 30 0 0 20 0 11 0 99 100 200';
    expect(readProcStat(stat)).toBe(1800);
  });

  it.each([
    ['0:00.12', 120],
    ['12:34.50', 754_500],
    ['01:02:03', 3_723_000],
    ['2-00:00:01', 172_801_000],
  ])('is read from the time %s of ps', (time, milliseconds) => {
    expect(readPsTime(time)).toBeCloseTo(milliseconds);
  });

  it('grows while this process works', () => {
    const before = cpuMilliseconds(process.pid);
    const start = process.cpuUsage();
    while (process.cpuUsage(start).user < 100_000);
    expect(cpuMilliseconds(process.pid)).toBeGreaterThan(before);
  });
});

describe('the peak memory of a process', () => {
  it('is VmHWM in /proc/PID/status, in MiB', () => {
    expect(readPeakResident('VmPeak:\t 900000 kB\nVmHWM:\t  204800 kB\nVmRSS:\t 1024 kB\n')).toBe(200);
  });
});
