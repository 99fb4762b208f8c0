// What the commands share: a usable Node, the packages, the local cloud, and processes that end together.
import { fork, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Node ${process.versions.node} is too old: Tenfold needs 20.19 or later.`);
}

/**
 * Ends with a sentence instead of a stack.
 * @param {string} sentence
 * @returns {never}
 */
export function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

/**
 * Runs a command to its end with its output shown.
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {boolean} whether it succeeded
 */
export function run(command, args, env = process.env) {
  // npm and the tools of node_modules/.bin are .cmd files on Windows, which only a shell starts.
  const shell = process.platform === 'win32';
  return spawnSync(command, args, { stdio: 'inherit', env, shell }).status === 0;
}

/**
 * @param {string} name a program of node_modules/.bin
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export function runTool(name, args, env) {
  return run(join('node_modules', '.bin', name), args, env);
}

/** Installs exactly what the lock file says, where that is not installed yet. */
export function installPackages() {
  const installed = join('node_modules', '.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync('package-lock.json').mtimeMs) return;
  process.stdout.write('Installing packages …\n');
  if (!run('npm', ['ci', '--no-audit', '--no-fund'])) fail('npm ci failed.');
}

/**
 * Starts the local cloud for the site at `siteOrigin`.
 * @param {{ siteOrigin: string }} options
 * @returns {Promise<{ child: import('node:child_process').ChildProcess, origin: string, environment: Record<string, string> }>}
 */
export function startCloud({ siteOrigin }) {
  const child = fork('local-cloud/main.ts', {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NODE_ENV: 'development', SITE_ORIGIN: siteOrigin },
  });
  return new Promise((resolve) => {
    child.once('message', (message) => {
      const { origin, environment } = /** @type {{ origin: string, environment: Record<string, string> }} */ (
        message
      );
      resolve({ child, origin, environment });
    });
    child.once('exit', () => fail('The local cloud did not start.'));
  });
}

/** A secret of this machine's own, made on first use, so that a restart signs nobody out. */
export function localSessionSecret() {
  const file = join('.local-cloud', 'session-secret');
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600 });
  }
  return readFileSync(file, 'utf8');
}

/**
 * Keeps processes together: Ctrl-C ends all of them, and when one ends by itself the others follow.
 * @param {import('node:child_process').ChildProcess[]} children
 */
export function endTogether(children) {
  let ending = false;
  const end = (/** @type {number} */ code) => {
    if (ending) return;
    ending = true;
    process.exitCode = code;
    for (const child of children) if (child.exitCode === null) child.kill('SIGINT');
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => end(0));
  for (const child of children) child.on('exit', () => end(1));
}

/**
 * Local cloud and site together, until Ctrl-C.
 * @param {{ command: string, args: string[], nodeEnv: 'production' | 'development', whatToTry: (origins: { site: string, cloud: string }) => string }} site
 */
export async function runWithCloud({ command, args, nodeEnv, whatToTry }) {
  const port = process.env.PORT ?? '3000';
  const siteOrigin = `http://localhost:${port}`;
  const cloud = await startCloud({ siteOrigin });
  cloud.child.removeAllListeners('exit');
  const env = {
    LOG_LEVEL: 'warn',
    ...process.env,
    ...cloud.environment,
    NODE_ENV: nodeEnv,
    PORT: port,
    APP_ORIGIN: siteOrigin,
    SESSION_SECRETS: localSessionSecret(),
  };
  const child = spawn(command, args, { env, stdio: 'inherit' });
  endTogether([cloud.child, child]);
  await answers(siteOrigin, child);
  if (child.exitCode === null) process.stdout.write(whatToTry({ site: siteOrigin, cloud: cloud.origin }));
}

/**
 * Resolves when the site is ready, or when it has ended.
 * @param {string} origin
 * @param {import('node:child_process').ChildProcess} child
 */
async function answers(origin, child) {
  while (child.exitCode === null) {
    const ready = await fetch(`${origin}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
