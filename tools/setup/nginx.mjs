// Finds nginx for the tests of the shipped nginx configuration.
import { findProgram, isExecutable } from './installed-programs.mjs';

/** Debian's place for it, which the PATH of users other than root lacks. */
const DEBIAN_PATH = '/usr/sbin/nginx';

/** Path of an installed nginx, or null. */
export function findNginx() {
  return findProgram(['nginx']) ?? (isExecutable(DEBIAN_PATH) ? DEBIAN_PATH : null);
}

/** Path of openssl, which creates the certificate of the tests, or null. */
export function findOpenssl() {
  return findProgram(['openssl']);
}
