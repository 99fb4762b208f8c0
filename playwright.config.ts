import { defineConfig } from '@playwright/test';
import {
  multiMachineBrowserTests,
  remixServeBrowserTests,
  type Topology,
  topologies,
} from './tests/support/processes/topology.ts';

const executablePath = process.env.CHROMIUM_PATH;
const multiMachineTests = multiMachineBrowserTests.map((name) => `**/${name}.spec.ts`);
const remixServeTests = remixServeBrowserTests.map((name) => `**/${name}.spec.ts`);

export default defineConfig<object, { topology: Topology }>({
  testDir: 'tests/e2e',
  outputDir: 'test-results/playwright',
  // Each worker starts its own site and local cloud. Two workers suit a machine with two cores.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  projects: [
    ...topologies.map((name) => ({
      name,
      testMatch: name === 'one machine' ? '**/*.spec.ts' : multiMachineTests,
      use: { topology: name },
    })),
    { name: 'remix-serve', testMatch: remixServeTests, use: { topology: 'remix-serve' as const } },
  ],
  use: {
    actionTimeout: 15_000,
    trace: 'retain-on-failure',
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      // Chromium's sandbox does not work for root. The tests only load pages from this machine.
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-background-networking',
        '--disable-component-update',
      ],
    },
  },
});
