import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { sourceExcerpt } from './scripts/vite-plugins/source-excerpt.ts';
import { usedIcons } from './scripts/vite-plugins/used-icons.ts';
import { multiMachineRouteTests, topologies } from './tests/support/processes/topology.ts';
import { LongestFirst } from './tests/support/setup/longest-first.ts';

const allTests = ['tests/**/*.test.ts', 'tests/**/*.test.tsx'];
const multiMachineTests = multiMachineRouteTests.map((name) => `tests/routes/${name}.test.ts`);

export default defineConfig({
  plugins: [usedIcons(), sourceExcerpt()],
  esbuild: { jsx: 'automatic' },
  resolve: { alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) } },
  test: {
    exclude: ['tests/e2e/**'],
    setupFiles: [
      'tests/support/setup/fail-on-console-error.ts',
      'tests/support/setup/check-fetch-for-secrets.ts',
    ],
    restoreMocks: true,
    sequence: { sequencer: LongestFirst },
    // Most tests wait for processes and HTTP, so three workers are faster than two even on two cores.
    maxWorkers: 3,
    minWorkers: 1,
    // Tests start real processes. A test of one second takes many seconds on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    projects: topologies.map((name) => ({
      extends: true as const,
      test: {
        name,
        include: name === 'one machine' ? allTests : multiMachineTests,
        env: { SITE_TOPOLOGY: name },
      },
    })),
  },
});
