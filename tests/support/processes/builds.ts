/** Additional builds of the site: copies of the current one, and builds of changed sources. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pages, routeModuleOf } from '../../../app/pages.ts';

const DIRECTORY = 'test-results/builds';
const SOURCES = [
  'app',
  'public',
  'scripts',
  'server.ts',
  'LICENSE',
  'remix.config.js',
  'vite.config.ts',
  'tsconfig.json',
  'package.json',
];

/** Copies `build/` without the assets kept from earlier builds, and returns the directory that contains the copy. */
export function copyBuild(name: string): string {
  const directory = createEmptyDirectory(name);
  cpSync('build', join(directory, 'build'), {
    recursive: true,
    filter: (path) => !path.startsWith(join('build', 'kept')),
  });
  return directory;
}

/** Builds the site with a change in the code of every page, and returns the directory that contains `build/`. */
export function buildChanged(name: string): string {
  const directory = createEmptyDirectory(name);
  for (const path of SOURCES) cpSync(path, join(directory, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'), 'dir');
  for (const page of pages) {
    const path = join(directory, 'app', routeModuleOf(page));
    if (!existsSync(path)) throw new Error(`There is no page module ${path}`);
    appendFileSync(path, `\nexport const handle = { changed: '${name}' };\n`);
  }
  const remix = join('node_modules', '@remix-run', 'dev', 'dist', 'cli.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [remix, 'vite:build', '--logLevel', 'error'],
    { cwd: directory, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
  );
  if (status !== 0) throw new Error(`The build of the changed site failed:\n${stdout}${stderr}`);
  return directory;
}

function createEmptyDirectory(name: string): string {
  const directory = join(DIRECTORY, name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  return directory;
}
