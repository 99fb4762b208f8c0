/** Builds of the site beside the one that the tests run: copies of it, and what it would be after a change. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const DIRECTORY = 'test-results/builds';
const SOURCES = [
  'app',
  'public',
  'scripts',
  'server.ts',
  'remix.config.js',
  'vite.config.ts',
  'tsconfig.json',
  'package.json',
];

/** A copy of `build/` in a folder of its own; gives that folder. */
export function copyBuild(name: string): string {
  const directory = emptyDirectory(name);
  cpSync('build', join(directory, 'build'), {
    recursive: true,
    filter: (path) => !path.startsWith(join('build', 'kept')),
  });
  return directory;
}

/** Builds the site with a change in the code of every page; gives the folder that `build/` is in. */
export function buildChanged(name: string): string {
  const directory = emptyDirectory(name);
  for (const path of SOURCES) cpSync(path, join(directory, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'), 'dir');
  for (const page of ['home', 'test-message', 'typography-demo']) {
    appendFileSync(
      join(directory, 'app', 'pages', `${page}.tsx`),
      `\nexport const handle = { changed: '${name}' };\n`,
    );
  }
  const remix = join('node_modules', '@remix-run', 'dev', 'dist', 'cli.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [remix, 'vite:build', '--logLevel', 'error'],
    { cwd: directory, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
  );
  if (status !== 0) throw new Error(`The changed site cannot be built:\n${stdout}${stderr}`);
  return directory;
}

function emptyDirectory(name: string): string {
  const directory = join(DIRECTORY, name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  return directory;
}
