/** The built site as a separate process, run as in production. */
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { checkResponsesOf } from '../secrets/secret-checking-fetch.ts';
import { findSecret, registerSecret } from '../secrets/secret-detection.ts';
import { waitUntil } from '../timing/wait-until.ts';
import { isRunning, startChild, stopChild } from './child-process.ts';

export type Site = {
  origin: string;
  /** Everything that the process has written so far, including its log with one JSON object per line. */
  output(): string;
  isRunning(): boolean;
  /** The ids of its processes. */
  pids: readonly number[];
  /** Sends the signal to every process of the site and does not wait. */
  signal(name: NodeJS.Signals): void;
  /** Sends the signal and returns the exit code. Rejects when the output contains a secret. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

/** Ports below those that systems give to other servers and connections of the tests. */
const PORTS = { first: 10_240, groups: 200, perGroup: 100 };
/** Processes that run tests at the same time take their ports from different groups. */
const firstOfGroup = PORTS.first + (process.pid % PORTS.groups) * PORTS.perGroup;
let next = randomInt(PORTS.perGroup);

/**
 * Returns a port that is not in use. The process that listens there starts later, so the port is
 * not one that the system could give away in the meantime.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    next = (next + 1) % PORTS.perGroup;
    const port = firstOfGroup + next;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** What a site's process runs: the site's own server, or Remix's. */
type ServerCommand = {
  args: readonly string[];
  readyPath: string;
  /** remix-serve logs every URL, also the callback's with its single-use code. */
  logsUrls?: boolean;
};

export const SITE_SERVER: ServerCommand = { args: ['build/server/server.js'], readyPath: '/readyz' };

/** Remix's own server with the same build. It has no readiness check, and keeps running while connections are open. */
export const REMIX_SERVE: ServerCommand = {
  args: ['node_modules/@remix-run/serve/dist/cli.js', 'build/server/index.js'],
  readyPath: '/healthz',
  logsUrls: true,
};

/**
 * Starts the build in `directory` with only the given environment and `PATH`. Resolves when the site is ready.
 */
export async function startSite(
  port: number,
  environment: Record<string, string>,
  directory = '.',
  { args, readyPath, logsUrls = false }: ServerCommand = SITE_SERVER,
): Promise<Site> {
  const origin = `http://localhost:${port}`;
  const env = {
    NODE_ENV: 'production' as const,
    PORT: String(port),
    APP_ORIGIN: origin,
    SESSION_SECRETS: 'k7Qe2vXw9RbT4mZc1NpLs8HdYg3JfUa6',
    ...environment,
  };
  registerSecretsOf(env);
  if (environment.METRICS_PORT) checkResponsesOf(`http://127.0.0.1:${environment.METRICS_PORT}`);
  const { child, output } = startChild(process.execPath, args, {
    cwd: directory,
    env: { PATH: process.env.PATH, ...env },
  });
  await waitUntilReady(child, origin + readyPath, output).catch(async (error: unknown) => {
    await stopChild(child, 'SIGKILL');
    throw error;
  });
  return {
    origin,
    output,
    isRunning: () => isRunning(child),
    pids: child.pid === undefined ? [] : [child.pid],
    signal: (name) => void child.kill(name),
    async stop(signal = 'SIGINT') {
      await stopChild(child, signal);
      const secret = logsUrls ? null : findSecret(output());
      if (secret !== null) throw new Error(`The site logged ${secret}`);
      return child.exitCode;
    },
  };
}

/** Registers the secrets that only the site's environment contains; the local cloud reports its own. */
function registerSecretsOf({ SESSION_SECRETS, REDIS_URL }: { SESSION_SECRETS: string; REDIS_URL?: string }) {
  for (const secret of SESSION_SECRETS.split(',')) registerSecret('session secret', secret);
  const password = REDIS_URL === undefined ? '' : new URL(REDIS_URL).password;
  if (password !== '') registerSecret('Redis password', password);
}

/** Resolves when `url` responds with a status of 2xx. Rejects when the process has exited, and after 50 s. */
export async function waitUntilReady(child: ChildProcess, url: string, output: () => string): Promise<void> {
  checkResponsesOf(new URL(url).origin);
  const isReady = async () => {
    if (!isRunning(child)) throw new Error(`The process exited with ${child.exitCode}:\n${output()}`);
    return fetch(url).then(
      (response) => response.ok,
      () => false,
    );
  };
  // A process that starts in a second takes many on a busy machine. The limit is below that of the hooks.
  const message = () => `The process was not ready within 50 s:\n${output()}`;
  await waitUntil(isReady, { message, timeoutMs: 50_000 });
}
