import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveBuild } from '../../../../app/server/builds/build-archive.ts';
import { createLog } from '../../../../packages/site-server/src/log/log.ts';

let root: string;
let lines: string[];
let now: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'build-archive-'));
  lines = [];
  now = 1;
});
afterEach(() => rmSync(root, { recursive: true }));

/** Starts a build that has these assets. */
async function start(buildId: string, files: string[], keep = 2): Promise<void> {
  const assets = join(root, buildId);
  mkdirSync(assets, { recursive: true });
  for (const file of files) writeFileSync(join(assets, file), `${file} of ${buildId}`);
  await archiveBuild({
    buildId,
    assets,
    directory: join(root, 'archive'),
    keep,
    now: now++,
    log: createLog('info', { write: (line) => void lines.push(line) }),
  });
}

const archived = () => readdirSync(join(root, 'archive', 'assets')).sort();

describe('archiveBuild', () => {
  it('keeps the assets of this build and of the configured number of earlier builds', async () => {
    await start('a', ['a.js', 'shared.js']);
    await start('b', ['b.js', 'shared.js']);
    await start('c', ['c.js']);
    expect(archived()).toEqual(['a.js', 'b.js', 'c.js', 'shared.js']);
    await start('d', ['d.js']);
    expect(archived(), 'b still needs the file that it shares with a').toEqual([
      'b.js',
      'c.js',
      'd.js',
      'shared.js',
    ]);
    await start('e', ['e.js']);
    expect(archived()).toEqual(['c.js', 'd.js', 'e.js']);
  });

  it('does not overwrite a file, because a name with a hash has only one content', async () => {
    await start('a', ['shared.js']);
    await start('b', ['shared.js']);
    expect(readFileSync(join(root, 'archive', 'assets', 'shared.js'), 'utf8')).toBe('shared.js of a');
  });

  it('counts a build that is started again after a rollback as the latest', async () => {
    await start('a', ['a.js']);
    await start('b', ['b.js']);
    await start('c', ['c.js']);
    await start('a', ['a.js']);
    await start('d', ['d.js']);
    expect(archived()).toEqual(['a.js', 'c.js', 'd.js']);
  });

  it('keeps the files of a build that is started many times', async () => {
    for (let times = 0; times < 5; times += 1) await start('a', ['a.js'], 1);
    expect(archived()).toEqual(['a.js']);
  });

  it('never exposes an incomplete file, also when several machines start at the same time', async () => {
    const files = Array.from({ length: 40 }, (_, index) => `${index}.js`);
    let areStarting = true;
    const starts = Promise.all(Array.from({ length: 4 }, () => start('a', files)));
    void starts.finally(() => {
      areStarting = false;
    });
    const seen = new Set<string>();
    const assets = join(root, 'archive', 'assets');
    while (areStarting) {
      for (const name of existsSync(assets) ? archived() : []) seen.add(name);
      await setImmediate();
    }
    await starts;
    expect([...seen].filter((name) => !files.includes(name))).toEqual([]);
    expect(archived()).toEqual(files.toSorted());
    expect(lines.join('')).not.toContain('archiving the build failed');
    expect(readdirSync(join(root, 'archive', 'unfinished'))).toEqual([]);
  });

  it('archives nothing when the number of earlier builds is 0', async () => {
    await start('a', ['a.js'], 0);
    expect(() => archived()).toThrow('ENOENT');
  });

  it('logs that its folder cannot be created, and does not reject', async () => {
    writeFileSync(join(root, 'archive'), 'a file in the place of the folder');
    await start('a', ['a.js']);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn' }]);
  });

  it('logs a failure, does not reject, and leaves no temporary file behind', async () => {
    mkdirSync(join(root, 'archive', 'builds', 'a.json'), { recursive: true });
    await start('a', ['a.js']);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn', err: { code: 'EISDIR' } }]);
    expect(readdirSync(join(root, 'archive', 'unfinished'))).toEqual([]);
  });

  it('archives the assets in spite of a damaged record, and logs the failure', async () => {
    await start('a', ['a.js']);
    writeFileSync(join(root, 'archive', 'builds', 'a.json'), '{');
    await start('b', ['b.js']);
    expect(archived()).toEqual(['a.js', 'b.js']);
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(['info', 'warn']);
  });
});
