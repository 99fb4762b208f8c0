import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { usedIcons } from './scripts/used-icons.ts';
import { routeTestsOnSeveral, topologies } from './tests/support/processes/topology.ts';

const everything = ['tests/**/*.test.ts', 'tests/**/*.test.tsx'];
const onSeveral = routeTestsOnSeveral.map((name) => `tests/routes/${name}.test.ts`);

export default defineConfig({
  plugins: [usedIcons()],
  esbuild: { jsx: 'automatic' },
  resolve: { alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) } },
  test: {
    exclude: ['tests/e2e/**'],
    setupFiles: ['tests/support/unexpected-console.ts', 'tests/support/unexpected-secrets.ts'],
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
