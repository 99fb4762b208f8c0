/** Builds the site in a copy of the repository that shares nothing with it: no path, no package, no cache. */
import { execFile } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { copyRepository, removeCopy } from '../../../scripts/setup/repository-copy.ts';
import { BUILD } from '../../../scripts/setup/setup.mjs';

const PACKAGES = 'node_modules';
const CACHES = join(PACKAGES, '.cache') + sep;

/** What must not change a build: a time zone 14 hours ahead, and a language with other capital letters. */
const OTHER_MACHINE = { TZ: 'Pacific/Kiritimati', LC_ALL: 'tr_TR.UTF-8' };

/**
 * Builds the site with the time `sourceDateEpoch` (seconds), calls `use` with the folder of the build, and returns what that
 * returns. Rejects with the output of the build when it fails. The copy is deleted afterwards.
 */
export async function buildElsewhere<T>(sourceDateEpoch: number, use: (build: string) => T): Promise<T> {
  const copy = copyRepository();
  try {
    rmSync(join(copy, PACKAGES));
    cpSync(PACKAGES, join(copy, PACKAGES), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !`${path}${sep}`.startsWith(CACHES),
    });
    const [program, args] = BUILD;
    await promisify(execFile)(join(PACKAGES, '.bin', program), args, {
      cwd: copy,
      env: { ...process.env, ...OTHER_MACHINE, SOURCE_DATE_EPOCH: String(sourceDateEpoch) },
    });
    return use(join(copy, 'build'));
  } finally {
    removeCopy(copy);
  }
}
