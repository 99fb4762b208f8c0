// Runs the site together with the local cloud.
import { fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fail } from './setup.mjs';
import { sourceUrlOfClone } from './source-url.mjs';

const { PORT = '3000', CLOUD_PORT = '4000' } = process.env;

/** Exits with a message when another program uses the port of the site or of the local cloud. */
export async function requireFreePorts() {
  await requireFreePort('PORT', PORT);
  await requireFreePort('CLOUD_PORT', CLOUD_PORT);
}

/**
 * @param {string} variable
 * @param {string} port
 */
async function requireFreePort(variable, port) {
  const server = createServer();
  try {
    await once(server.listen(Number(port)), 'listening');
    server.close();
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    fail(
      code === 'EADDRINUSE'
        ? `Port ${port} is in use. Set ${variable} to use another port.`
        : `${variable}=${port} is no port that this command can use: ${message}`,
    );
  }
}

/**
 * Runs local cloud and site until Ctrl-C, and prints `instructions` when the site is ready.
 * @param {{ command: string, args: string[], nodeEnv: 'production' | 'development', instructions: (origins: { site: string, cloud: string }) => string }} site
 */
export async function runWithCloud({ command, args, nodeEnv, instructions }) {
  const siteOrigin = `http://localhost:${PORT}`;
  const cloud = await startCloud({ siteOrigin });
  const env = {
    LOG_LEVEL: 'warn',
    SOURCE_URL: sourceUrlOfClone() ?? '',
    // On Node 20 the AWS SDK would write eight lines about its future versions at the first call.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    ...process.env,
    ...cloud.environment,
    NODE_ENV: nodeEnv,
    PORT,
    APP_ORIGIN: siteOrigin,
    SESSION_SECRETS: localSessionSecret(),
  };
  const site = spawn(command, args, { env, stdio: 'inherit' });
  stopTogether([cloud.child, site]);
  await waitUntilReady(siteOrigin, site);
  if (site.exitCode === null) process.stdout.write(instructions({ site: siteOrigin, cloud: cloud.origin }));
}

/**
 * Starts the local cloud for the site at `siteOrigin`. Exits the process if that fails.
 * @param {{ siteOrigin: string }} options
 * @returns {Promise<{ child: import('node:child_process').ChildProcess, origin: string, environment: Record<string, string> }>}
 */
function startCloud({ siteOrigin }) {
  const child = fork('packages/local-cloud/main.ts', {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NODE_ENV: 'development', SITE_ORIGIN: siteOrigin },
  });
  return new Promise((resolve) => {
    const failed = () => fail('The local cloud did not start.');
    child.once('exit', failed);
    child.once('message', (message) => {
      child.off('exit', failed);
      const { origin, environment } = /** @type {{ origin: string, environment: Record<string, string> }} */ (
        message
      );
      resolve({ child, origin, environment });
    });
  });
}

/** The session secret of this clone. It is created once and stored, so that sessions survive a restart. */
function localSessionSecret() {
  const file = join('.local-cloud', 'session-secret');
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600 });
  }
  return readFileSync(file, 'utf8');
}

/**
 * Stops all children on Ctrl-C, and the others when one of them exits.
 * @param {import('node:child_process').ChildProcess[]} children
 */
function stopTogether(children) {
  let isStopping = false;
  const stop = (/** @type {number} */ code) => {
    if (isStopping) return;
    isStopping = true;
    process.exitCode = code;
    for (const child of children) if (child.exitCode === null) child.kill('SIGINT');
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => stop(0));
  for (const child of children) child.on('exit', () => stop(1));
}

/**
 * Resolves when the site is ready or has exited.
 * @param {string} origin
 * @param {import('node:child_process').ChildProcess} child
 */
async function waitUntilReady(origin, child) {
  while (child.exitCode === null) {
    const isReady = await fetch(`${origin}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
