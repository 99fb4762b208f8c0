// Runs every check of the product. The end of the output names each failed test; the last line has the totals.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { findOrInstallNginx } from './setup/nginx.mjs';
import { findOrInstallRedis } from './setup/redis.mjs';
import { buildSite, installPackages, runTool } from './setup/setup.mjs';

const RESULTS = 'test-results';
const total = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failedNames = [];

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
  add(report, ok, ({ numPassedTests, numFailedTests, numPendingTests, testResults }) => ({
    passed: numPassedTests,
    failed: numFailedTests,
    skipped: numPendingTests,
    names: testResults.flatMap(failedUnitTests),
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
  add(report, ok, ({ stats, suites }) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
    names: suites.flatMap(failedBrowserTests),
  }));
});
// The recipes of docs/make-it-yours.md, on two copies of the repository.
step('Recipes', () => count(runTool('tsx', ['scripts/recipes.ts'])));

if (failedNames.length > 0)
  process.stdout.write(`\nFailed:\n${failedNames.map((name) => `  ${name}\n`).join('')}`);
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
  const failedBefore = total.failed;
  const namesBefore = failedNames.length;
  process.stdout.write(`\n— ${name}\n`);
  action();
  // A step without a report of its tests.
  if (total.failed > failedBefore && failedNames.length === namesBefore) failedNames.push(name);
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
 * @param {(json: any) => typeof total & { names: string[] }} read
 */
function add(report, ok, read) {
  const none = { passed: 0, failed: 0, skipped: 0, names: [] };
  const { passed, failed, skipped, names } = existsSync(report)
    ? read(JSON.parse(readFileSync(report, 'utf8')))
    : none;
  failedNames.push(...names);
  total.passed += passed;
  total.skipped += skipped;
  total.failed += ok && passed > 0 ? failed : Math.max(failed, 1);
}

/**
 * The failed tests of a file in vitest's report. A file that could not be loaded has no tests.
 * @param {any} file
 */
function failedUnitTests({ name, status, assertionResults }) {
  const path = relative(process.cwd(), name);
  const failed = assertionResults.filter((/** @type {any} */ test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [path] : [];
  return failed.map((/** @type {any} */ test) => `${path} › ${test.fullName}`);
}

/**
 * The failed and flaky tests of a suite in Playwright's report, with those of the suites inside it.
 * @param {any} suite
 * @returns {string[]}
 */
function failedBrowserTests({ suites = [], specs = [] }) {
  const here = specs.flatMap((/** @type {any} */ { file, title, tests }) =>
    tests
      .filter((/** @type {any} */ test) => test.status === 'unexpected' || test.status === 'flaky')
      .map((/** @type {any} */ test) => `tests/e2e/${file} › ${title} (${test.projectName})`),
  );
  return [...here, ...suites.flatMap(failedBrowserTests)];
}
