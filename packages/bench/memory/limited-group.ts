/** A control group of Linux with a memory limit. The kernel kills a process that exceeds it. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of one version of control groups. https://docs.kernel.org/admin-guide/cgroup-v2.html */
type Layout = {
  directory: string;
  limit: string;
  /** The file that limits swap, and its value for none. */
  swap: { file: string; value: (limit: string) => string };
  peak: string;
  events: string;
};

const LAYOUTS: readonly Layout[] = [
  {
    directory: 'memory',
    limit: 'memory.limit_in_bytes',
    // In version 1 this limit is the sum of memory and swap.
    swap: { file: 'memory.memsw.limit_in_bytes', value: (limit) => limit },
    peak: 'memory.max_usage_in_bytes',
    events: 'memory.oom_control',
  },
  {
    directory: '.',
    limit: 'memory.max',
    swap: { file: 'memory.swap.max', value: () => '0' },
    peak: 'memory.peak',
    events: 'memory.events',
  },
];

export type LimitedGroup = {
  /** Put before a command, it runs the command in the group, in the same process. */
  launcher: readonly string[];
  /** The most memory that the group has used so far, with the files that the kernel has cached for it, in MiB. */
  peakMebibytes(): number;
  /** How many processes the kernel has killed because of the limit. */
  kills(): number;
  /** Removes the group. Its processes have to be stopped before. */
  remove(): void;
};

/**
 * Creates a group with a limit and no swap. Throws a sentence where that is not possible: on another system than Linux,
 * without root, or in a container. `root` is where control groups are mounted.
 */
export function createLimitedGroup(mebibytes: number, root = '/sys/fs/cgroup'): LimitedGroup {
  const layout = LAYOUTS.find(({ directory }) => existsSync(join(root, directory, 'cgroup.procs')));
  if (layout === undefined) throw new Error(`There are no control groups at ${root}.`);
  const group = join(root, layout.directory, `tenfold-bench-${process.pid}`);
  const limit = String(mebibytes * 1024 * 1024);
  try {
    mkdirSync(group);
    writeFileSync(join(group, layout.limit), limit);
  } catch {
    throw new Error(`A control group with a memory limit cannot be created at ${root}. Run this as root.`);
  }
  // Kernels without swap accounting lack the file.
  const swap = join(group, layout.swap.file);
  if (existsSync(swap)) writeFileSync(swap, layout.swap.value(limit));
  const read = (file: string) => readFileSync(join(group, file), 'utf8');
  return {
    launcher: ['/bin/sh', '-c', `echo $$ > ${join(group, 'cgroup.procs')} && exec "$@"`, 'sh'],
    peakMebibytes: () => Number(read(layout.peak)) / 1024 / 1024,
    kills: () => readKills(read(layout.events)),
    remove: () => rmdirSync(group),
  };
}

/** Reads `oom_kill` from the lines of `memory.oom_control` or `memory.events`. */
export function readKills(events: string): number {
  return Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0);
}
