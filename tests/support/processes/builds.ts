/** Additional builds of the site: copies of the current one, unchanged or with other names of the pages' scripts. */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { pages, routeModuleOf } from '../../../app/pages.ts';

const DIRECTORY = 'test-results/builds';
/** How the name of a script ends: with a hash of its content. That of the manifest is also the id of the build. */
const HASHED = /-([\w-]{8})\.js$/;

/** Copies `build/` without the assets kept from earlier builds, and returns the directory that contains the copy. */
export function copyBuild(name: string): string {
  const directory = createEmptyDirectory(name);
  cpSync('build', join(directory, 'build'), {
    recursive: true,
    filter: (path) => !path.startsWith(join('build', 'kept')),
  });
  return directory;
}

/**
 * Copies `build/` as if the code of every page had changed: the scripts of the pages have other names, and the build has
 * another id. Returns the directory that contains the copy.
 */
export function copyAsNewBuild(name: string): string {
  const directory = copyBuild(name);
  const assets = join(directory, 'build', 'client', 'assets');
  const files = readdirSync(assets);
  const hashes = [...pages.map(nameOfScript), 'manifest'].map((script) => hashOf(files, script));
  for (const folder of [assets, join(directory, 'build', 'server', 'assets')]) {
    for (const file of readdirSync(folder)) replaceHashes(folder, file, hashes);
  }
  return directory;
}

/** The name of a page's script without its hash. */
function nameOfScript(page: (typeof pages)[number]): string {
  const path = routeModuleOf(page);
  return basename(path, extname(path));
}

/** Returns the hash in the name of the only script with this name. */
function hashOf(files: readonly string[], script: string): string {
  const found = files.filter((file) => file.replace(HASHED, '') === script);
  const hash = HASHED.exec(found[0] ?? '')?.[1];
  if (hash === undefined || found.length > 1) throw new Error(`${script}: ${found.length} scripts`);
  return hash;
}

/** Reverses the hashes in a script and in its name. The compressed copies of a changed script are deleted. */
function replaceHashes(folder: string, file: string, hashes: readonly string[]): void {
  if (extname(file) !== '.js') return;
  const path = join(folder, file);
  const source = readFileSync(path, 'utf8');
  const replace = (text: string) =>
    hashes.reduce((changed, hash) => changed.replaceAll(hash, [...hash].reverse().join('')), text);
  if (replace(file + source) === file + source) return;
  writeFileSync(path, replace(source));
  renameSync(path, join(folder, replace(file)));
  for (const extension of ['.br', '.gz']) rmSync(path + extension, { force: true });
}

function createEmptyDirectory(name: string): string {
  const directory = join(DIRECTORY, name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  return directory;
}
