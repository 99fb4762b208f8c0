// Runs the site together with the local cloud.
import { fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fail } from './setup.mjs';
import { sourceUrlOfClone } from './source-url.mjs';

const { PORT = '3000', CLOUD_PORT = '4000', APP_ORIGIN = `http://localhost:${PORT}` } = process.env;

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

/** @typedef {{ origin: string, environment: Record<string, string>, administrator: { email: string, password: string } }} StartedCloud */

/**
 * Runs local cloud and site until Ctrl-C, and prints `instructions` when the site is ready. A message of the site that names a
 * changed file starts the local cloud again.
 * @param {{ command: string, args: string[], nodeEnv: 'production' | 'development', instructions: (running: { site: string, cloud: string, administrator: StartedCloud['administrator'] }) => string }} site
 */
export async function runWithCloud({ command, args, nodeEnv, instructions }) {
  const cloud = new Cloud(APP_ORIGIN);
  const { origin, environment, administrator } = await cloud.start();
  const env = {
    SOURCE_URL: sourceUrlOfClone() ?? '',
    // On Node 20 the AWS SDK would write eight lines about its future versions at the first call.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    ...process.env,
    ...environment,
    NODE_ENV: nodeEnv,
    PORT,
    APP_ORIGIN,
    SESSION_SECRETS: localSessionSecret(),
  };
  const site = spawn(command, args, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  stopTogether(cloud, site);
  site.on('message', () => cloud.restart());
  await waitUntilReady(`http://localhost:${PORT}`, site);
  if (isRunning(site)) {
    process.stdout.write(instructions({ site: APP_ORIGIN, cloud: origin, administrator }));
  }
}

/** The local cloud of a site, in a process of its own. Its data and its variables outlive a restart. */
class Cloud {
  /** @type {import('node:child_process').ChildProcess | null} */
  #child = null;
  #isStopped = false;
  #restarting = Promise.resolve();

  /** @param {string} siteOrigin */
  constructor(siteOrigin) {
    this.siteOrigin = siteOrigin;
  }

  /**
   * Resolves when it is ready. Exits the process if that fails.
   * @returns {Promise<StartedCloud>}
   */
  async start() {
    return (await this.#launch()) ?? fail('The local cloud did not start.');
  }

  /** Stops it and starts it again. After a mistake in its files it is away until the next restart. */
  restart() {
    this.#restarting = this.#restarting.then(async () => {
      const child = this.#child;
      if (child) {
        child.removeAllListeners('exit');
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      }
      if (this.#isStopped || (await this.#launch()) || this.#isStopped) return;
      process.stderr.write('The local cloud did not start. It starts when its files are correct.\n');
    });
  }

  stop() {
    this.#isStopped = true;
    this.#child?.kill('SIGINT');
  }

  /** Called when it ends by itself. */
  onExit = () => {};

  /** @returns {Promise<StartedCloud | null>} null when it has ended */
  #launch() {
    const child = fork('tools/cloud.ts', {
      execArgv: ['--import', 'tsx'],
      env: { ...process.env, NODE_ENV: 'development', SITE_ORIGIN: this.siteOrigin },
    });
    this.#child = child;
    return new Promise((resolve) => {
      child.once('exit', () => {
        this.#child = null;
        resolve(null);
      });
      child.once('message', (message) => {
        child.once('exit', () => this.onExit());
        resolve(/** @type {StartedCloud} */ (message));
      });
    });
  }
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
 * Stops both on Ctrl-C, and the other one when one of them exits.
 * @param {Cloud} cloud
 * @param {import('node:child_process').ChildProcess} site
 */
function stopTogether(cloud, site) {
  let isStopping = false;
  const stop = (/** @type {number} */ code) => {
    if (isStopping) return;
    isStopping = true;
    process.exitCode = code;
    cloud.stop();
    if (isRunning(site)) site.kill('SIGINT');
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => stop(0));
  site.on('exit', () => stop(1));
  cloud.onExit = () => stop(1);
}

/**
 * A process that a signal has ended has no exit code.
 * @param {import('node:child_process').ChildProcess} child
 */
function isRunning({ exitCode, signalCode }) {
  return exitCode === null && signalCode === null;
}

/**
 * Resolves when the site is ready or has exited.
 * @param {string} origin
 * @param {import('node:child_process').ChildProcess} child
 */
async function waitUntilReady(origin, child) {
  while (isRunning(child)) {
    if (await isReady(origin)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * A request of an agent of its own, and not of `fetch`: a proxy for outgoing requests does not reach this machine.
 * @param {string} origin
 * @returns {Promise<boolean>}
 */
function isReady(origin) {
  return new Promise((resolve) => {
    const request = get(`${origin}/readyz`, { agent: new Agent() }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('error', () => resolve(false));
  });
}
