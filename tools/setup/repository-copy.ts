/** Copies of the repository in temporary folders, for tests that change files. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const WORKSPACE = '@tenfold';
const LINKS = { recursive: true, verbatimSymlinks: true };

/** Copies the files that git tracks or would track, and returns the folder. Packages are shared. */
export function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'tenfold-copy-'));
  const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { encoding: 'utf8' });
  for (const file of list.split('\0')) if (file !== '' && existsSync(file)) cpSync(file, join(copy, file));
  linkPackages(join(copy, 'node_modules'));
  return copy;
}

/** The links of the workspace are copied, so that each leads to a package of the copy. */
function linkPackages(folder: string): void {
  mkdirSync(folder);
  for (const name of readdirSync('node_modules')) {
    if (name === WORKSPACE) cpSync(join('node_modules', name), join(folder, name), LINKS);
    else symlinkSync(resolve('node_modules', name), join(folder, name));
  }
}
