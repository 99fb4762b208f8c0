import { defineConfig } from '@playwright/test';
import { type EngineName, installedEngines, type SwitchedOff } from './tests/support/processes/engines.ts';
import {
  multiMachineBrowserTests,
  remixServeBrowserTests,
  type Topology,
  topologies,
} from './tests/support/processes/topology.ts';
import { disabledFeatures } from './tests/support/setup/browser-features.ts';

/** The tests that run in browsers other than Chromium. */
const ENGINE_TESTS = 'tests/e2e/engines';
/** `npm test` runs those in `tests/site`, `npm run test:all` every one. */
const BROWSER_TESTS = 'tests/{site,e2e}/**/*.spec.ts';

const executablePath = process.env.CHROMIUM_PATH;

/** The members of a project that runs these files, and with a tag only the tests that have it. */
const selection = ({ files, tag }: { files: readonly string[]; tag?: string }) => ({
  testMatch: files.map((name) => `**/${name}.spec.ts`),
  ...(tag ? { grep: new RegExp(tag) } : {}),
});

export default defineConfig<object, { topology: Topology; engineName: EngineName; switchedOff: SwitchedOff }>(
  {
    testDir: 'tests',
    testMatch: BROWSER_TESTS,
    outputDir: 'test-results/playwright',
    // Each worker starts its own site and local cloud. Two workers suit a machine with two cores.
    workers: 2,
    fullyParallel: false,
    forbidOnly: true,
    retries: 0,
    // Limits for a slow or busy machine. A test that passes does not wait for them.
    timeout: 240_000,
    expect: { timeout: 30_000 },
    reporter: 'list',
    projects: [
      ...topologies.map((name) => ({
        name,
        ...(name === 'one machine'
          ? { testIgnore: [`${ENGINE_TESTS}/**`, 'tests/example/**'] }
          : selection(multiMachineBrowserTests)),
        use: { topology: name },
      })),
      {
        name: 'remix-serve',
        ...selection(remixServeBrowserTests),
        use: { topology: 'remix-serve' as const },
      },
      ...installedEngines.flatMap((engineName) =>
        ([null, 'JavaScript', 'cookies'] as const).map((switchedOff) => ({
          name: switchedOff ? `${engineName} without ${switchedOff}` : engineName,
          testDir: ENGINE_TESTS,
          testMatch: switchedOff === 'cookies' ? '**/refused-cookies.spec.ts' : '**/other-engines.spec.ts',
          use: { engineName, switchedOff },
        })),
      ),
    ],
    use: {
      actionTimeout: 60_000,
      // Traces slow the tests down. `--trace retain-on-failure` keeps those of tests that fail.
      trace: 'off',
      launchOptions: {
        ...(executablePath ? { executablePath } : {}),
        // Chromium's sandbox does not work for root. The tests only load pages from this machine.
        args: [
          ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
          '--disable-background-networking',
          '--disable-component-update',
          // No page lives long enough for optimized code to repay its compilation.
          '--js-flags=--no-opt,--no-maglev',
          `--disable-features=${disabledFeatures.join(',')}`,
        ],
      },
    },
  },
);
