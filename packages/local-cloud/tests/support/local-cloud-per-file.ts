import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startLocalCloud } from '../../../../tests/support/local-cloud.ts';
import { SITE_ORIGIN } from '../../../../tests/support/sign-in/oauth-client.ts';

/**
 * Starts a local cloud for the tests of a file. Its state, its faults and its clock are reset before each test. Tests
 * change its clock by setting `now`.
 */
export function startLocalCloudForTests(siteOrigins = [SITE_ORIGIN]): {
  readonly cloud: LocalCloud;
  now: number;
} {
  let started: LocalCloud | undefined;
  const local = {
    now: Date.now(),
    get cloud() {
      if (!started) throw new Error('The local cloud has not been started yet.');
      return started;
    },
  };
  beforeAll(async () => {
    started = await startLocalCloud({ siteOrigins, clock: () => local.now });
  });
  beforeEach(async () => {
    local.now = Date.now();
    await local.cloud.reset();
    local.cloud.faults.set({});
  });
  afterAll(() => started?.close());
  return local;
}
