// The store that several machines share through, for the tests: Valkey or Redis where it is installed, else Debian's.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './setup.mjs';

const names = ['valkey-server', 'redis-server'];

/**
 * Path of a valkey-server or redis-server that is installed; null when there is none.
 * @returns {string | null}
 */
export function findRedis() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return candidates.find(isExecutable) ?? null;
}

/** The same, installed if this is Debian and we may. */
export function findOrInstallRedis() {
  return findRedis() ?? (debianRedis() ? findRedis() : null);
}

function debianRedis() {
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) return false;
  process.stdout.write('Installing Debian’s valkey-server or redis-server …\n');
  if (!run('apt-get', ['update', '-q'])) return false;
  return names.some((name) => run('apt-get', ['install', '-y', '-q', name]));
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
