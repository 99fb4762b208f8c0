// Runs the checks before a commit; with --all every test: also those of the tools, of processes behind proxies, on four
// machines, under remix-serve, in Firefox and in WebKit.
// With --all it also makes three new sites.
// The end of the output names each failure; the last line has the totals.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findFirefox, findWebKit } from './setup/engines.mjs';
import { findNginx, findOpenssl } from './setup/nginx.mjs';
import { findRedis } from './setup/redis.mjs';
import { BUILD, installPackages, runBeside, toolPath } from './setup/setup.mjs';

const ALL = process.argv.includes('--all');
const RESULTS = 'test-results';
const VITEST_RESULT = join(RESULTS, 'vitest.json');
const PLAYWRIGHT_RESULT = join(RESULTS, 'playwright.json');
/** More generated requests than in a run before a commit. */
const GENERATED = { FUZZ_REQUESTS: '12000', FUZZ_LARGE_REQUESTS: '1000', REDIRECT_ADDRESSES: '3000' };

const total = { passed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];

installPackages();
rmSync(RESULTS, { recursive: true, force: true });
mkdirSync(RESULTS);
// browser.mjs imports Playwright, which is installed by now.
const { findOrInstallBrowser, NO_BROWSER } = await import('./setup/browser.mjs');
const browser = findOrInstallBrowser();

if (ALL) requirePrograms();
const generator = ['--conditions=@tenfold/source', 'tools/build/write-generated-files.ts'];
await step('Generated files', () => check('generated files', toolPath('tsx'), generator));
// The build and the compiler use one core each for most of the time.
await Promise.all([
  step('Build', () => check('npm run build', toolPath(BUILD[0]), BUILD[1])),
  step('Types and lint', async () => {
    await check('npm run types', 'npm', ['run', '--silent', 'types']);
    await check('npm run lint', 'npm', ['run', '--silent', 'lint']);
  }),
]);
await step('Unit, route, architecture and translation tests', runVitest);
await step('End-to-end tests', runPlaywright);
const newSites = ['tools/new-site/check.ts'];
if (ALL) await step('New sites', () => check('new sites', toolPath('tsx'), newSites));

if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.map((name) => `  ${name}\n`).join('')}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
process.stdout.write(`\n${total.passed} passed, ${failures.length} failed${skipped}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Tests whose program is missing do not run. With --all that is a failure. */
function requirePrograms() {
  const programs = {
    'valkey-server or redis-server': findRedis(),
    'nginx and openssl': findNginx() && findOpenssl(),
    'firefox-esr': findFirefox(),
    'webkit2gtk-driver and xvfb': findWebKit(),
  };
  for (const [name, found] of Object.entries(programs)) if (!found) failures.push(`${name}: not installed`);
}

/**
 * Runs a step and prints its name, and its duration when it has ended.
 * @param {string} name
 * @param {() => Promise<void>} action
 */
async function step(name, action) {
  const startedAt = Date.now();
  process.stdout.write(`\n— ${name}\n`);
  await action();
  process.stdout.write(`  ${name}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

/**
 * Runs a command, which counts as one test.
 * @param {string} name
 * @param {string} command
 * @param {string[]} args
 */
async function check(name, command, args) {
  if (await runBeside(command, args, { showsAtEnd: true })) total.passed += 1;
  else failures.push(name);
}

async function runVitest() {
  const projects = ALL ? [] : ['--project=unit', '--project=one machine'];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${VITEST_RESULT}`];
  const env = { ...process.env, ...(ALL ? GENERATED : {}) };
  const ok = await runBeside(toolPath('vitest'), ['run', ...reporters, ...projects], { env });
  /** @type {import('vitest/node').JsonTestResults | null} */
  const result = readResult(VITEST_RESULT);
  const files = result?.testResults ?? [];
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ status, fullName }) => ({ status, title: `${name} › ${fullName}` })),
  );
  const withStatus = (/** @type {string} */ status) => tests.filter((test) => test.status === status);
  // A file that cannot be loaded has a message and no tests.
  const failedFiles = files.filter(({ status, message }) => status === 'failed' && message !== '');
  total.passed += withStatus('passed').length;
  total.skipped += withStatus('skipped').length + withStatus('pending').length;
  addFailures('vitest', ok, [
    ...withStatus('failed').map(({ title }) => title),
    ...failedFiles.map(({ name, message }) => `${name} › ${message}`),
  ]);
}

async function runPlaywright() {
  if (!browser) return void failures.push(NO_BROWSER);
  const selection = ALL ? [] : ['--project=one machine', 'tests/site/'];
  const env = { ...process.env, CHROMIUM_PATH: browser, PLAYWRIGHT_JSON_OUTPUT_FILE: PLAYWRIGHT_RESULT };
  const ok = await runBeside(toolPath('playwright'), ['test', '--reporter=list,json', ...selection], { env });
  /** @type {import('@playwright/test/reporter').JSONReport | null} */
  const result = readResult(PLAYWRIGHT_RESULT);
  const specs = result?.suites.flatMap(specsOf) ?? [];
  // A test that passes only when it is repeated counts as failed.
  const failed = specs.flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(({ projectName }) => `[${projectName}] ${file} › ${title}`),
  );
  total.passed += result?.stats.expected ?? 0;
  total.skipped += result?.stats.skipped ?? 0;
  const errors = result?.errors ?? [];
  addFailures('playwright', ok, [
    ...failed,
    ...errors.map(({ message }) => `An error outside of a test: ${message}`),
  ]);
}

/**
 * @param {import('@playwright/test/reporter').JSONReportSuite} suite
 * @returns {import('@playwright/test/reporter').JSONReportSpec[]}
 */
function specsOf({ specs, suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}

/** @param {string} file */
function readResult(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/**
 * A runner that fails without naming a failure counts as one.
 * @param {string} runner
 * @param {boolean} ok
 * @param {string[]} found
 */
function addFailures(runner, ok, found) {
  failures.push(...found);
  if (!ok && found.length === 0) failures.push(`${runner} failed`);
}
