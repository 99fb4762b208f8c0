// Runs the checks before a commit; with --all every test: also those of the tools in packages, of processes behind proxies
// and caches, on four machines, under remix-serve, in Firefox and in WebKit.
// With --all it also performs the recipes of the guide and makes three new sites.
// The end of the output names each failure; the last line has the totals.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { findOrInstallFirefox, findOrInstallWebKit } from './setup/engines.mjs';
import { findOrInstallNginx } from './setup/nginx.mjs';
import { findOrInstallRedis } from './setup/redis.mjs';
import { BUILD, installPackages, runBeside, toolPath } from './setup/setup.mjs';
import { findOrInstallVarnish } from './setup/varnish.mjs';

const RESULTS = 'test-results';
const ALL = process.argv.includes('--all');
/** What takes minutes and seldom breaks by a change of the site is left to --all. */
const runners = {
  vitest: [
    'run',
    '--reporter=default',
    '--reporter=./scripts/setup/vitest-totals.ts',
    ...(ALL ? [] : ['--project=unit', '--project=one machine']),
  ],
  playwright: [
    'test',
    '--reporter=list,./scripts/setup/playwright-totals.ts',
    ...(ALL ? [] : ['--project=one machine', 'journey.spec.ts', 'every-page.spec.ts']),
  ],
};
/** More generated requests than in a run before a commit. */
const variables = ALL
  ? { FUZZ_REQUESTS: '12000', FUZZ_LARGE_REQUESTS: '1000', REDIRECT_ADDRESSES: '3000' }
  : {};
const total = { passed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];

installPackages();
rmSync(RESULTS, { recursive: true, force: true });
mkdirSync(RESULTS);

/**
 * @type {{ redis: string | null, nginx: boolean, varnish: string | null, browser: string | null, firefox: boolean,
 *   webkit: boolean }}
 */
let programs = { redis: null, nginx: false, varnish: null, browser: null, firefox: false, webkit: false };

// The build and the compiler use one core each for most of the time, and the network is free.
await Promise.all([
  step('Build', async () => {
    const [program, args] = BUILD;
    count(await runBeside(toolPath(program), args, { showsAtEnd: true }), 'npm run build');
  }),
  step('Types and lint', async () => {
    await check('types');
    await check('lint');
  }),
  step('Programs that the tests need', async () => {
    // browser.mjs imports Playwright, which is installed by now.
    const { findOrInstallBrowser } = await import('./setup/browser.mjs');
    programs = {
      redis: findOrInstallRedis(),
      nginx: ALL && findOrInstallNginx(),
      varnish: ALL ? findOrInstallVarnish() : null,
      browser: findOrInstallBrowser(),
      firefox: ALL && findOrInstallFirefox(),
      webkit: ALL && findOrInstallWebKit(),
    };
  }),
]);
await step('Unit, route, architecture and translation tests', () => runTests('vitest', variables));
await step('End-to-end tests', async () => {
  const { NO_BROWSER } = await import('./setup/browser.mjs');
  if (!programs.browser) return count(false, NO_BROWSER);
  await runTests('playwright', { CHROMIUM_PATH: programs.browser });
});
if (ALL) await step('Recipes', () => check('recipes'));
if (ALL) await step('New sites', () => check('new-site:check'));

if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.map((name) => `  ${name}\n`).join('')}`);
process.stdout.write(`\n${summary()}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

function summary() {
  const parts = [`${total.passed} passed`, `${failures.length} failed`];
  if (total.skipped > 0) parts.push(`${total.skipped} skipped`);
  if (!programs.redis) parts.push('tests with a shared store NOT RUN: install valkey-server or redis-server');
  if (ALL && !programs.nginx) parts.push('tests behind nginx NOT RUN: install nginx and openssl');
  if (ALL && !programs.varnish) parts.push('tests behind Varnish NOT RUN: install varnish');
  if (ALL && !programs.firefox) parts.push('tests in Firefox NOT RUN: install firefox-esr');
  if (ALL && !programs.webkit) parts.push('tests in WebKit NOT RUN: install webkit2gtk-driver and xvfb');
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
 * Runs a script of package.json, which counts as one test.
 * @param {string} script
 */
async function check(script) {
  const ok = await runBeside('npm', ['run', '--silent', script], { showsAtEnd: true });
  count(ok, `npm run ${script}`);
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
 * Runs a test runner, and adds its totals. A runner that fails without naming a failure, or that ran no test, counts as
 * one failure.
 * @param {keyof typeof runners} runner
 * @param {Record<string, string>} extra Variables of its environment.
 */
async function runTests(runner, extra) {
  const file = resolve(RESULTS, `${runner}.json`);
  const env = { ...process.env, ...extra, TOTALS_FILE: file };
  const ok = await runBeside(toolPath(runner), runners[runner], { env });
  const result = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { passed: 0, skipped: 0, failures: [] };
  total.passed += result.passed;
  total.skipped += result.skipped;
  failures.push(...result.failures);
  if (result.failures.length === 0 && (!ok || result.passed === 0)) failures.push(`${runner} failed`);
}
