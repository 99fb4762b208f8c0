// Runs every check of the product and prints one line at the end with the totals.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { findOrInstallNginx } from './setup/nginx.mjs';
import { findOrInstallRedis } from './setup/redis.mjs';
import { buildSite, installPackages, runTool } from './setup/setup.mjs';

const RESULTS = 'test-results';
const total = { passed: 0, failed: 0, skipped: 0 };

installPackages();
rmSync(RESULTS, { recursive: true, force: true });

step('Types', () => {
  count(runTool('tsc', ['--noEmit']));
  count(runTool('tsc', ['--project', 'infra/resolvers']));
});
step('Lint', () => {
  count(runTool('biome', ['check', '--error-on-warnings', '.']));
  // What AppSync does not support in resolvers.
  count(runTool('eslint', ['infra/resolvers']));
  // Unused files, exports and dependencies.
  count(runTool('knip', []));
});
step('Build', () => count(buildSite()));
const redis = findOrInstallRedis();
const nginx = findOrInstallNginx();
step('Unit, route, architecture and translation tests', () => {
  const report = `${RESULTS}/vitest.json`;
  const ok = runTool('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile=${report}`]);
  add(report, ok, ({ numPassedTests, numFailedTests, numPendingTests }) => ({
    passed: numPassedTests,
    failed: numFailedTests,
    skipped: numPendingTests,
  }));
});
// browser.mjs imports Playwright, which is installed by now.
const { findOrInstallBrowser, NO_BROWSER } = await import('./setup/browser.mjs');
step('End-to-end tests', () => {
  const browser = findOrInstallBrowser();
  if (!browser) {
    process.stderr.write(`${NO_BROWSER}\n`);
    return count(false);
  }
  const report = `${RESULTS}/playwright.json`;
  const env = { ...process.env, CHROMIUM_PATH: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  const ok = runTool('playwright', ['test', '--reporter=list,json'], env);
  add(report, ok, ({ stats }) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  }));
});
// The recipes of docs/make-it-yours.md, on two copies of the repository.
step('Recipes', () => count(runTool('tsx', ['scripts/recipes.ts'])));

process.stdout.write(`\n${summary()}\n`);
process.exitCode = total.failed === 0 ? 0 : 1;

function summary() {
  const parts = [`${total.passed} passed`, `${total.failed} failed`];
  if (total.skipped > 0) parts.push(`${total.skipped} skipped`);
  if (!redis) parts.push('tests with a shared store NOT RUN: install valkey-server or redis-server');
  if (!nginx) parts.push('tests behind nginx NOT RUN: install nginx and openssl');
  return parts.join(', ');
}

/**
 * Runs a step and prints its name and duration.
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
 * Adds the counts of a test runner's report. A runner that failed without a failed test, or ran no test, counts as one
 * failure.
 * @param {string} report
 * @param {boolean} ok
 * @param {(json: any) => typeof total} read
 */
function add(report, ok, read) {
  const none = { passed: 0, failed: 0, skipped: 0 };
  const { passed, failed, skipped } = existsSync(report)
    ? read(JSON.parse(readFileSync(report, 'utf8')))
    : none;
  total.passed += passed;
  total.skipped += skipped;
  total.failed += ok && passed > 0 ? failed : Math.max(failed, 1);
}
