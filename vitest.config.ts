import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { sourceExcerpt } from './packages/site-build/vite-plugins/source-excerpt.ts';
import { usedIcons } from './packages/site-build/vite-plugins/used-icons.ts';
import { multiMachineRouteTests, topologies } from './tests/support/processes/topology.ts';
import { LongestFirst } from './tests/support/setup/longest-first.ts';

/** How the process behaves with others: proxies, caches, machines, the ones that start and stop it. */
const PROCESS_TESTS = 'tests/routes/process/**/*.test.ts';
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
    // A process runs many files. Starting one and loading the modules takes longer than most tests.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    sequence: { sequencer: LongestFirst },
    // Route tests wait for processes and HTTP, so four workers are faster than two even on two cores.
    maxWorkers: 4,
    // Tests start real processes. A test of one second takes many seconds on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true as const,
        test: {
          name: 'unit',
          include: ['tests/*.test.ts', 'tests/unit/**/*.test.{ts,tsx}'],
        },
      },
      {
        extends: true as const,
        test: { name: 'tools', include: ['packages/*/tests/**/*.test.{ts,tsx}'] },
      },
      ...topologies.map((name) => ({
        extends: true as const,
        test: {
          name,
          include: name === 'one machine' ? ['tests/routes/**/*.test.ts'] : multiMachineTests,
          exclude: [PROCESS_TESTS],
          env: { SITE_TOPOLOGY: name },
        },
      })),
      {
        extends: true as const,
        test: { name: 'processes', include: [PROCESS_TESTS, 'tests/deploy/**/*.test.ts'] },
      },
    ],
  },
});
