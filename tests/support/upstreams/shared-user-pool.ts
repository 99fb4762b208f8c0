import { afterAll, afterEach } from 'vitest';
import { startScriptedUserPool } from './scripted-user-pool.ts';

/** Starts a scripted user pool for all tests of a file. Each test begins with the default scripts. */
export async function shareUserPool() {
  const pool = await startScriptedUserPool();
  afterEach(() => pool.reset());
  afterAll(() => pool.close());
  return pool;
}
