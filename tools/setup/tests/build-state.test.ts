import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isBuildCurrent } from '../build-state.mjs';

/** A clone with a source file and a build, which is a second newer. */
function createClone() {
  const root = mkdtempSync(join(tmpdir(), 'build-state-'));
  const write = (path: string, time: number) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    utimesSync(file, time, time);
    utimesSync(dirname(file), time, time);
  };
  write('app/pages/page.tsx', 1000);
  write('package.json', 1000);
  utimesSync(join(root, 'app'), 1000, 1000);
  write('build/server/server.js', 1001);
  return { root, write, remove: (path: string) => rmSync(join(root, path)) };
}

describe('the build', () => {
  it('is current until a file is changed, added or deleted', () => {
    const { root, write, remove } = createClone();
    expect(isBuildCurrent(root)).toBe(true);
    write('app/pages/page.tsx', 1002);
    expect(isBuildCurrent(root)).toBe(false);
    write('build/server/server.js', 1003);
    expect(isBuildCurrent(root)).toBe(true);
    write('app/pages/new.tsx', 1004);
    expect(isBuildCurrent(root)).toBe(false);
    write('build/server/server.js', 1005);
    remove('app/pages/new.tsx');
    expect(isBuildCurrent(root)).toBe(false);
  });

  it('is current after a change of tests, packages of this machine, or data of the local cloud', () => {
    const { root, write } = createClone();
    for (const path of ['tests/a.test.ts', 'node_modules/a/index.js', '.local-cloud/users.json'])
      write(path, 1002);
    expect(isBuildCurrent(root)).toBe(true);
  });

  it('is not current when it does not exist', () => {
    const { root, remove } = createClone();
    remove('build/server/server.js');
    expect(isBuildCurrent(root)).toBe(false);
  });
});
