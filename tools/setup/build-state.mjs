// Tells whether the production build is newer than all files of the repository.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The file that the build writes last. */
const LAST_FILE = 'build/server/server.js';

/** Folders of the repository that nothing is built from. Names with a leading dot are not read either. */
const NOT_BUILT = new Set([
  'build',
  'docs',
  'node_modules',
  'playwright-report',
  'reports',
  'test-results',
  'tests',
]);

/**
 * Whether the build in `root` exists and no file has changed since. A folder changes when a file in it is deleted.
 * @param {string} [root]
 */
export function isBuildCurrent(root = '.') {
  const built = statSync(join(root, LAST_FILE), { throwIfNoEntry: false });
  return built !== undefined && !hasChangeSince(built.mtimeMs, root);
}

/**
 * @param {number} time milliseconds since 1970
 * @param {string} folder
 * @returns {boolean}
 */
function hasChangeSince(time, folder) {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    if (entry.name.startsWith('.') || NOT_BUILT.has(entry.name)) return false;
    const path = join(folder, entry.name);
    return statSync(path).mtimeMs > time || (entry.isDirectory() && hasChangeSince(time, path));
  });
}
