/** The archives of the two libraries, as an app that installs them sees them: without this repository. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = resolve(import.meta.dirname, '../../..');
const manifestSchema = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
});

const app = mkdtempSync(join(tmpdir(), 'archives-'));
afterAll(() => rmSync(app, { recursive: true }));

/** Runs a program in the app's folder. Returns what it writes. Throws with that when it fails. */
function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: app, encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout + stderr);
  return stdout;
}
const bin = (name: string) => join(ROOT, 'node_modules/.bin', name);

/** Makes a package of the repository available to the app. */
function link(name: string): void {
  const target = join(app, 'node_modules', name);
  mkdirSync(dirname(target), { recursive: true });
  rmSync(target, { force: true });
  symlinkSync(join(ROOT, 'node_modules', name), target);
}

const libraries = [
  { name: 'appsync-proxy', functions: ['createGraphqlProxy', 'createTrustedDocuments', 'signRequest'] },
  { name: 'cognito-session', functions: ['isSameOrigin', 'parseReturnTo'] },
];

describe.each(libraries)('the archive of @tenfold/$name', ({ name, functions }) => {
  const folder = join(app, 'node_modules/@tenfold', name);
  let archive = '';
  const readManifest = () =>
    manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));

  beforeAll(() => {
    const source = join(ROOT, 'packages', name);
    execFileSync('npm', ['pack', '--ignore-scripts=false', '--silent', '--pack-destination', app], {
      cwd: source,
      stdio: 'pipe',
    });
    mkdirSync(folder, { recursive: true });
    const { version } = manifestSchema.parse(JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')));
    archive = join(app, `tenfold-${name}-${version}.tgz`);
    run('tar', '-xzf', archive, '--strip-components=1', '-C', folder);
    const { dependencies, peerDependencies } = readManifest();
    // What the archive does not name is missing in the app.
    for (const dependency of ['@types/node', ...Object.keys({ ...dependencies, ...peerDependencies })]) {
      link(dependency);
    }
  });

  it('contains built files only, and names no other library of this repository', () => {
    const files = run('tar', '-tzf', archive).trim().split('\n');
    expect(files).toContain('package/dist/index.js');
    expect(
      files.filter((file) => !/^package\/(dist\/.+\.(js|d\.ts)|package\.json|README\.md)$/.test(file)),
    ).toEqual([]);
    expect(Object.keys(readManifest().dependencies).filter((key) => key.startsWith('@tenfold/'))).toEqual([]);
  });

  it('is imported by Node', () => {
    const code = `import * as library from '@tenfold/${name}';
      console.log(JSON.stringify(Object.keys(library).filter((key) => typeof library[key] === 'function')));`;
    writeFileSync(join(app, 'main.mjs'), code);
    expect(JSON.parse(run(process.execPath, 'main.mjs'))).toEqual(expect.arrayContaining(functions));
  });

  it('has types that an app with NodeNext compiles against, and that find a mistake', () => {
    const code = `import { ${functions.join(', ')} } from '@tenfold/${name}';
      export const all: (...args: never[]) => unknown[] = () => [${functions.join(', ')}];
      // @ts-expect-error A function is no number.
      export const mistake: number = ${functions[0]};`;
    writeFileSync(join(app, 'main.mts'), code);
    const options = ['--noEmit', '--strict', '--module', 'NodeNext', '--target', 'ES2022'];
    const { stdout } = spawnSync(bin('tsc'), [...options, 'main.mts'], { cwd: app, encoding: 'utf8' });
    // Remix's own declarations have errors.
    const own = stdout.split('\n').filter((line) => /^(main\.mts|node_modules\/@tenfold\/)/.test(line));
    expect(own).toEqual([]);
  });

  it('passes publint and "Are the types wrong?"', async () => {
    const tarball = new Uint8Array(readFileSync(archive)).buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
    run(bin('attw'), archive, '--profile', 'esm-only', '--no-emoji', '--no-color');
  });
});
