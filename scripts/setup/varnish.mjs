// Finds Varnish for the tests of the shipped Varnish configuration, or installs it.
import {
  canInstallDebianPackages,
  findProgram,
  installDebianPackages,
  isExecutable,
  updateDebianLists,
} from './installed-programs.mjs';

/** Debian's place for it, which the PATH of users other than root lacks. */
const DEBIAN_PATH = '/usr/sbin/varnishd';

/** Path of an installed varnishd, or null. */
export function findVarnish() {
  return findProgram(['varnishd']) ?? (isExecutable(DEBIAN_PATH) ? DEBIAN_PATH : null);
}

/** Path of an installed Varnish, after installing Debian's if necessary; null if there is none. */
export function findOrInstallVarnish() {
  return findVarnish() ?? (canInstallDebianPackages() && installFromDebian() ? findVarnish() : null);
}

function installFromDebian() {
  process.stdout.write('Installing Debian’s Varnish …\n');
  return updateDebianLists() && installDebianPackages('varnish');
}
