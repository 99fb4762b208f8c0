import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { multiMachineRouteTests, topologies } from './tests/support/processes/topology.ts';
import { LongestFirst } from './tests/support/setup/longest-first.ts';
import { sourceExcerpt } from './tools/build/vite-plugins/source-excerpt.ts';
import { usedIcons } from './tools/build/vite-plugins/used-icons.ts';

/** Tests that may send requests to the built site. Those of a site's own are in `tests/site`. */
const ROUTE_TESTS = ['tests/routes/**/*.test.ts', 'tests/site/**/*.test.{ts,tsx}'];
/** How the process behaves with others: proxies, caches, machines, the ones that start and stop it. */
const PROCESS_TESTS = 'tests/routes/process/**/*.test.ts';
/** The condition in the `exports` of this repository's libraries that leads to their sources. */
const SOURCE = '@tenfold/source';
const multiMachineTests = multiMachineRouteTests.map((name) => `tests/routes/${name}.test.ts`);

export default defineConfig({
  plugins: [usedIcons(), sourceExcerpt()],
  esbuild: { jsx: 'automatic' },
  resolve: {
    alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) },
    conditions: [SOURCE],
  },
  ssr: { resolve: { conditions: [SOURCE, 'node'] } },
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
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
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
        test: { name: 'tools', include: ['{packages,tools}/*/tests/**/*.test.{ts,tsx}'] },
      },
      ...topologies.map((name) => ({
        extends: true as const,
        test: {
          name,
          include: name === 'one machine' ? ROUTE_TESTS : multiMachineTests,
          exclude: [PROCESS_TESTS],
          env: { SITE_TOPOLOGY: name },
        },
      })),
      {
        extends: true as const,
        test: {
          name: 'processes',
          include: [PROCESS_TESTS, 'tests/deploy/**/*.test.ts', 'tests/{amplify,plain}-app/*.test.ts'],
        },
      },
    ],
  },
});
