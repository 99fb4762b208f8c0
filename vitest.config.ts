import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { usedIcons } from './scripts/vite-plugins/used-icons.ts';
import { multiMachineRouteTests, topologies } from './tests/support/processes/topology.ts';

const everything = ['tests/**/*.test.ts', 'tests/**/*.test.tsx'];
const onSeveral = multiMachineRouteTests.map((name) => `tests/routes/${name}.test.ts`);

export default defineConfig({
  plugins: [usedIcons()],
  esbuild: { jsx: 'automatic' },
  resolve: { alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) } },
  test: {
    exclude: ['tests/e2e/**'],
    setupFiles: [
      'tests/support/setup/fail-on-console-error.ts',
      'tests/support/setup/check-fetch-for-secrets.ts',
    ],
    restoreMocks: true,
    // Real processes, real HTTP, real key derivation: what takes a second alone takes many on a busy machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: topologies.map((name) => ({
      extends: true as const,
      test: {
        name,
        include: name === 'one machine' ? everything : onSeveral,
        env: { SITE_TOPOLOGY: name },
      },
    })),
  },
});
