// Finds Valkey or Redis for the tests of the shared store, or installs one.
import {
  canInstallDebianPackages,
  findProgram,
  installDebianPackages,
  updateDebianLists,
} from './installed-programs.mjs';

const NAMES = ['valkey-server', 'redis-server'];

/** Path of an installed valkey-server or redis-server, or null. */
export function findRedis() {
  return findProgram(NAMES);
}

/** Path of valkey-server or redis-server. Installs Debian's package if there is none; null when that is not possible. */
export function findOrInstallRedis() {
  return findRedis() ?? debianRedis();
}

function debianRedis() {
  if (!canInstallDebianPackages()) return null;
  process.stdout.write('Installing Debian’s valkey-server or redis-server …\n');
  if (!updateDebianLists()) return null;
  return NAMES.some((name) => installDebianPackages(name)) ? findRedis() : null;
}
