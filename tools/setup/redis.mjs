// Finds Valkey or Redis for the tests of the shared store.
import { findProgram } from './installed-programs.mjs';

/** Path of an installed valkey-server or redis-server, or null. */
export function findRedis() {
  return findProgram(['valkey-server', 'redis-server']);
}
