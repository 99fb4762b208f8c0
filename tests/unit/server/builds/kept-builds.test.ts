import {
  chmodSync,
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
import { keepBuild } from '../../../../app/server/builds/kept-builds.ts';
import { createLog } from '../../../../app/server/observability/log.ts';

let root: string;
let lines: string[];
let now: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kept-builds-'));
  lines = [];
  now = 1;
});
afterEach(() => rmSync(root, { recursive: true }));

/** Starts a build with these files. */
async function start(buildId: string, files: string[], keep = 2): Promise<void> {
  const assets = join(root, buildId);
  mkdirSync(assets, { recursive: true });
  for (const file of files) writeFileSync(join(assets, file), `${file} of ${buildId}`);
  await keepBuild({
    buildId,
    assets,
    directory: join(root, 'kept'),
    keep,
    now: now++,
    log: createLog('info', { write: (line) => void lines.push(line) }),
  });
}

const kept = () => readdirSync(join(root, 'kept', 'assets')).sort();

describe('keeping builds', () => {
  it('keeps the assets of this build and of as many before it as it is told', async () => {
    await start('a', ['a.js', 'shared.js']);
    await start('b', ['b.js', 'shared.js']);
    await start('c', ['c.js']);
    expect(kept()).toEqual(['a.js', 'b.js', 'c.js', 'shared.js']);
    await start('d', ['d.js']);
    expect(kept(), 'what b shares with a stays').toEqual(['b.js', 'c.js', 'd.js', 'shared.js']);
    await start('e', ['e.js']);
    expect(kept()).toEqual(['c.js', 'd.js', 'e.js']);
  });

  it('keeps what is there as it is: a name with a hash has one content', async () => {
    await start('a', ['shared.js']);
    await start('b', ['shared.js']);
    expect(readFileSync(join(root, 'kept', 'assets', 'shared.js'), 'utf8')).toBe('shared.js of a');
  });

  it('counts a build that is started again, after a roll-back, as the last one', async () => {
    await start('a', ['a.js']);
    await start('b', ['b.js']);
    await start('c', ['c.js']);
    await start('a', ['a.js']);
    await start('d', ['d.js']);
    expect(kept()).toEqual(['a.js', 'c.js', 'd.js']);
  });

  it('forgets nothing of its own when the same build is started many times', async () => {
    for (let times = 0; times < 5; times += 1) await start('a', ['a.js'], 1);
    expect(kept()).toEqual(['a.js']);
  });

  it('shows nothing unfinished where files are served, also when machines start at the same moment', async () => {
    const files = Array.from({ length: 40 }, (_, index) => `${index}.js`);
    let areStarting = true;
    const starts = Promise.all(Array.from({ length: 4 }, () => start('a', files)));
    void starts.finally(() => {
      areStarting = false;
    });
    const seen = new Set<string>();
    const assets = join(root, 'kept', 'assets');
    while (areStarting) {
      for (const name of existsSync(assets) ? kept() : []) seen.add(name);
      await setImmediate();
    }
    await starts;
    expect([...seen].filter((name) => !files.includes(name))).toEqual([]);
    expect(kept()).toEqual(files.toSorted());
    expect(lines.join('')).not.toContain('cannot be kept');
    expect(readdirSync(join(root, 'kept', 'unfinished'))).toEqual([]);
  });

  it('keeps nothing when it is told to keep none', async () => {
    await start('a', ['a.js'], 0);
    expect(() => kept()).toThrow('ENOENT');
  });

  it('logs that it cannot keep anything, and goes on', async () => {
    writeFileSync(join(root, 'kept'), 'a file where the folder should be');
    await start('a', ['a.js']);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn' }]);
  });

  it('is not stopped by a record that somebody has damaged', async () => {
    await start('a', ['a.js']);
    writeFileSync(join(root, 'kept', 'builds', 'a.json'), '{');
    chmodSync(join(root, 'kept', 'builds', 'a.json'), 0o644);
    await start('b', ['b.js']);
    expect(kept()).toEqual(['a.js', 'b.js']);
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(['info', 'warn']);
  });
});
