import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { differingFiles } from '../reproduce/compare-builds.ts';

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'builds-'));
  write('one', { 'a.js': 'a', 'client/b.js': 'b', 'client/c.js': 'c', 'kept/old.js': 'old' });
  write('two', { 'a.js': 'a', 'client/b.js': 'B', 'client/c.js': 'c', 'server/d.js': '' });
});
afterAll(() => rmSync(root, { recursive: true }));

function write(folder: string, files: Record<string, string>): void {
  for (const [file, content] of Object.entries(files)) {
    const path = join(root, folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

it('names changed and missing files of a build, but not those that the running site keeps', () => {
  expect(differingFiles(join(root, 'one'), join(root, 'two'))).toEqual(['client/b.js', 'server/d.js']);
  expect(differingFiles(join(root, 'two'), join(root, 'one'))).toEqual(['client/b.js', 'server/d.js']);
  expect(differingFiles(join(root, 'one'), join(root, 'one'))).toEqual([]);
});
