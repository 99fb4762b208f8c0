// Runs every check of the product. The end of the output names each failure; the last line has the totals.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { findOrInstallNginx } from './setup/nginx.mjs';
import { findOrInstallRedis } from './setup/redis.mjs';
import { BUILD, installPackages, runTool, runToolBeside } from './setup/setup.mjs';

const RESULTS = 'test-results';
const total = { passed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];

installPackages();
rmSync(RESULTS, { recursive: true, force: true });
mkdirSync(RESULTS);

// Each of them uses one core for most of the time.
await Promise.all([
  step('Build', () => check(...BUILD)),
  step('Types and lint', async () => {
    await check('tsc', ['--noEmit']);
    await check('tsc', ['--project', 'infra/resolvers']);
    await check('biome', ['check', '--error-on-warnings', '.']);
    // What AppSync does not support in resolvers.
    await check('eslint', ['infra/resolvers']);
    // Unused files, exports and dependencies.
    await check('knip', []);
  }),
]);
const redis = findOrInstallRedis();
const nginx = findOrInstallNginx();
await step('Unit, route, architecture and translation tests', () => {
  runTests('vitest', ['run', '--reporter=default', '--reporter=./scripts/setup/vitest-totals.ts']);
});
// browser.mjs imports Playwright, which is installed by now.
const { findOrInstallBrowser, NO_BROWSER } = await import('./setup/browser.mjs');
await step('End-to-end tests', () => {
  const browser = findOrInstallBrowser();
  if (!browser) return count(false, NO_BROWSER);
  runTests('playwright', ['test', '--reporter=list,./scripts/setup/playwright-totals.ts'], {
    CHROMIUM_PATH: browser,
  });
});
// The recipes of docs/make-it-yours.md, on two copies of the repository.
await step('Recipes', () => check('tsx', ['scripts/recipes.ts']));

if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.map((name) => `  ${name}\n`).join('')}`);
process.stdout.write(`\n${summary()}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

function summary() {
  const parts = [`${total.passed} passed`, `${failures.length} failed`];
  if (total.skipped > 0) parts.push(`${total.skipped} skipped`);
  if (!redis) parts.push('tests with a shared store NOT RUN: install valkey-server or redis-server');
  if (!nginx) parts.push('tests behind nginx NOT RUN: install nginx and openssl');
  return parts.join(', ');
}

/**
 * Runs a step and prints its name, and its duration when it has ended.
 * @param {string} name
 * @param {() => void | Promise<void>} action
 */
async function step(name, action) {
  const startedAt = Date.now();
  process.stdout.write(`\n— ${name}\n`);
  await action();
  process.stdout.write(`  ${name}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

/**
 * Runs a program of node_modules/.bin, which counts as one test.
 * @param {string} program
 * @param {string[]} args
 */
async function check(program, args) {
  count(await runToolBeside(program, args), [program, ...args].join(' '));
}

/**
 * @param {boolean} ok
 * @param {string} name
 */
function count(ok, name) {
  if (ok) total.passed += 1;
  else failures.push(name);
}

/**
 * Runs a test runner and adds its totals. A runner that fails without naming a failure, or that ran no test, counts as
 * one failure.
 * @param {'vitest' | 'playwright'} runner
 * @param {string[]} args
 * @param {Record<string, string>} [variables]
 */
function runTests(runner, args, variables) {
  const file = resolve(RESULTS, `${runner}.json`);
  const ok = runTool(runner, args, { ...process.env, ...variables, TOTALS_FILE: file });
  const result = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { passed: 0, skipped: 0, failures: [] };
  total.passed += result.passed;
  total.skipped += result.skipped;
  failures.push(...result.failures);
  if (result.failures.length === 0 && (!ok || result.passed === 0)) failures.push(`${runner} failed`);
}
