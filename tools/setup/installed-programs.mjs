// Finds programs on this machine and installs Debian packages.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './setup.mjs';

/**
 * Path of the first program in PATH with one of these names, or null.
 * @param {readonly string[]} names in order of preference
 * @returns {string | null}
 */
export function findProgram(names) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable) ?? null;
}

/**
 * Whether the file exists and may be executed.
 * @param {string} path
 */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether this process may install Debian packages. */
export function canInstallDebianPackages() {
  return existsSync('/usr/bin/apt-get') && process.getuid?.() === 0;
}

/**
 * Installs Debian packages. Returns whether that succeeded.
 * @param {...string} packages
 */
export function installDebianPackages(...packages) {
  return run('apt-get', ['install', '-y', '-q', ...packages]);
}

/** Fetches Debian's lists of packages. Returns whether that succeeded. */
export function updateDebianLists() {
  return run('apt-get', ['update', '-q']);
}
