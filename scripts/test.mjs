// Every check of the product, one after the other, and one line at the end that sums them up.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { findOrInstallRedis } from './redis.mjs';
import { installPackages, runTool } from './setup.mjs';

const RESULTS = 'test-results';
const total = { passed: 0, failed: 0 };

installPackages();
rmSync(RESULTS, { recursive: true, force: true });

step('Types', () => count(runTool('tsc', ['--noEmit'])));
step('Lint', () => count(runTool('biome', ['check', '--error-on-warnings', '.'])));
step('Build', () => count(runTool('remix', ['vite:build', '--logLevel', 'warn'])));
step('Unit, route, architecture and translation tests', () => {
  findOrInstallRedis();
  const report = `${RESULTS}/vitest.json`;
  const ok = runTool('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile=${report}`]);
  add(report, ok, ({ numPassedTests, numFailedTests }) => [numPassedTests, numFailedTests]);
});
const { findOrInstallBrowser } = await import('./browser.mjs');
step('End-to-end tests', () => {
  const browser = findOrInstallBrowser();
  if (!browser) {
    process.stderr.write(
      'No browser could be found or installed. Set CHROMIUM_PATH to a Chromium or Chrome.\n',
    );
    return count(false);
  }
  const report = `${RESULTS}/playwright.json`;
  const env = { ...process.env, CHROMIUM_PATH: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  const ok = runTool('playwright', ['test', '--reporter=list,json'], env);
  add(report, ok, ({ stats }) => [stats.expected, stats.unexpected + stats.flaky]);
});

process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 ? 0 : 1;

/**
 * @param {string} name
 * @param {() => void} action
 */
function step(name, action) {
  const startedAt = Date.now();
  process.stdout.write(`\n— ${name}\n`);
  action();
  process.stdout.write(`  ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

/** @param {boolean} ok */
function count(ok) {
  total[ok ? 'passed' : 'failed'] += 1;
}

/**
 * Adds a runner's own counts. A runner that failed without naming a failed test is one failure.
 * @param {string} report
 * @param {boolean} ok
 * @param {(json: any) => [number, number]} read
 */
function add(report, ok, read) {
  const [passed, failed] = existsSync(report) ? read(JSON.parse(readFileSync(report, 'utf8'))) : [0, 0];
  total.passed += passed;
  total.failed += ok ? failed : Math.max(failed, 1);
  if (ok && passed === 0) total.failed += 1;
}
