// Shared by the commands: checks the Node version, installs packages, runs tools and builds the site.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program that builds the site for production, with its arguments. */
export const BUILD = /** @type {[string, string[]]} */ (['remix', ['vite:build', '--logLevel', 'warn']]);

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..', '..'));

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Node ${process.versions.node} is too old: Tenfold needs 20.19 or later.`);
}

// Each tool sets the one that it needs. With `production` npm would leave out packages, and React's tests would fail.
Reflect.deleteProperty(process.env, 'NODE_ENV');

/**
 * Prints a message without a stack trace and exits with 1.
 * @param {string} message
 * @returns {never}
 */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/**
 * Runs a command and shows its output. Returns whether it succeeded.
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {boolean}
 */
export function run(command, args, env = process.env) {
  // On Windows, npm and the tools of node_modules/.bin are .cmd files, which need a shell.
  const shell = process.platform === 'win32';
  return spawnSync(command, args, { stdio: 'inherit', env, shell }).status === 0;
}

/**
 * Runs a program of node_modules/.bin and shows its output. Returns whether it succeeded.
 * @param {string} name
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export function runTool(name, args, env) {
  return run(toolPath(name), args, env);
}

/**
 * Path of a program of node_modules/.bin.
 * @param {string} name
 */
export function toolPath(name) {
  return join('node_modules', '.bin', name);
}

/**
 * Runs a command beside others. Returns whether it succeeded.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, showsAtEnd?: boolean }} [options] `showsAtEnd` shows the output when
 *   the program has ended.
 * @returns {Promise<boolean>}
 */
export function runBeside(command, args, { env, showsAtEnd = false } = {}) {
  const shell = process.platform === 'win32';
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = showsAtEnd ? ['ignore', 'pipe', 'pipe'] : 'inherit';
  const child = spawn(command, args, { shell, stdio, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => (output += text));
  }
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('close', (code) => {
      process.stdout.write(output);
      resolve(code === 0);
    });
  });
}

/** Installs the packages of the lock file, with those for development, unless they are installed. */
export function installPackages() {
  if (arePackagesInstalled()) return;
  process.stdout.write('Installing packages …\n');
  if (!run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'])) fail('npm ci failed.');
}

function arePackagesInstalled() {
  const installed = statSync(join('node_modules', '.package-lock.json'), { throwIfNoEntry: false });
  const isCurrent = installed !== undefined && installed.mtimeMs >= statSync('package-lock.json').mtimeMs;
  // `npm ci` without the packages for development, to which Vitest belongs, writes the same file.
  return isCurrent && existsSync(toolPath('vitest'));
}

/** Builds the site for production. Returns whether that succeeded. */
export function buildSite() {
  process.stdout.write('Building …\n');
  return runTool(...BUILD);
}
