/** The configuration of Vitest for `npm run mutation`: only the tests of the area that MUTATION_AREA names. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { areas } from './areas.ts';

const area = areas.find(({ name }) => name === process.env.MUTATION_AREA);

export default defineConfig({
  resolve: { alias: { '~': fileURLToPath(new URL('../../app', import.meta.url)) } },
  test: {
    include: [...(area?.tests ?? [])],
    setupFiles: ['tests/support/setup/fail-on-console-error.ts'],
    restoreMocks: true,
    env: { SITE_TOPOLOGY: 'one machine' },
    // A mutant that never responds fails the test that waits for it, before Stryker has to restart the worker.
    testTimeout: 20_000,
  },
});
