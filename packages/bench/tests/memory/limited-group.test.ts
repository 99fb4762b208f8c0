import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLimitedGroup, readKills } from '../../memory/limited-group.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('a control group with a memory limit', () => {
  it.each([
    ['version 1', 'memory', 'memory.limit_in_bytes', 'memory.max_usage_in_bytes'],
    ['version 2', '.', 'memory.max', 'memory.peak'],
  ])('has the files of %s', (_version, directory, limit, peak) => {
    mkdirSync(join(root, directory), { recursive: true });
    writeFileSync(join(root, directory, 'cgroup.procs'), '');
    const group = createLimitedGroup(512, root);
    const folder = join(root, directory, `tenfold-bench-${process.pid}`);
    expect(readFileSync(join(folder, limit), 'utf8')).toBe('536870912');
    expect(group.launcher.join(' ')).toContain(join(folder, 'cgroup.procs'));
    writeFileSync(join(folder, peak), '104857600\n');
    expect(group.peakMebibytes()).toBe(100);
  });

  it('says so where there are none', () => {
    expect(() => createLimitedGroup(512, root)).toThrow(`There are no control groups at ${root}.`);
  });

  it('says so where none may be created', () => {
    writeFileSync(join(root, 'cgroup.procs'), '');
    mkdirSync(join(root, `tenfold-bench-${process.pid}`));
    expect(() => createLimitedGroup(512, root)).toThrow('Run this as root');
  });
});

describe('the number of killed processes', () => {
  it.each([
    ['oom_kill_disable 0\nunder_oom 0\noom_kill 2\n', 2],
    ['low 0\nhigh 0\nmax 7\noom 1\noom_kill 1\noom_group_kill 0\n', 1],
    ['oom_kill_disable 0\n', 0],
  ])('is read from %j', (events, kills) => {
    expect(readKills(events)).toBe(kills);
  });
});
