/** The built site as a process of its own, as production runs it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { checkResponsesOf } from '../secrets/secret-checking-fetch.ts';
import { findSecret, registerSecret } from '../secrets/secret-detection.ts';
import { killOnExit } from './kill-on-exit.ts';

export type Site = {
  origin: string;
  /** What it wrote so far: its log, one JSON object per line, and anything else. */
  output(): string;
  isRunning(): boolean;
  /** Sends the signal to the process, or to each of several, and does not wait. */
  signal(name: NodeJS.Signals): void;
  /** Sends the signal and gives the exit code. Rejects when what it wrote gives a secret away. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}

/**
 * Starts `build/server/server.js` of `directory` at `port` with `environment` and nothing else of ours; resolves when it
 * is ready.
 */
export async function startSite(
  port: number,
  environment: Record<string, string>,
  directory = '.',
): Promise<Site> {
  const origin = `http://localhost:${port}`;
  const env = {
    NODE_ENV: 'production' as const,
    PORT: String(port),
    APP_ORIGIN: origin,
    SESSION_SECRETS: 'k7Qe2vXw9RbT4mZc1NpLs8HdYg3JfUa6',
    ...environment,
  };
  learnSecretsOf(env);
  if (environment.METRICS_PORT) checkResponsesOf(`http://127.0.0.1:${environment.METRICS_PORT}`);
  const child = spawn(process.execPath, ['build/server/server.js'], {
    cwd: directory,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killOnExit(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  await waitUntilReady(child, `${origin}/readyz`, () => output);
  return {
    origin,
    output: () => output,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    signal: (name) => void child.kill(name),
    async stop(signal = 'SIGINT') {
      if (child.exitCode === null) {
        const exited = once(child, 'exit');
        child.kill(signal);
        await exited;
      }
      const secret = findSecret(output);
      if (secret !== null) throw new Error(`The site wrote down ${secret}`);
      return child.exitCode;
    },
  };
}

/** The secrets that the site is told by its environment and no cloud knows of. */
function learnSecretsOf({ SESSION_SECRETS, REDIS_URL }: { SESSION_SECRETS: string; REDIS_URL?: string }) {
  for (const secret of SESSION_SECRETS.split(',')) registerSecret('session secret', secret);
  const password = REDIS_URL === undefined ? '' : new URL(REDIS_URL).password;
  if (password !== '') registerSecret('Redis password', password);
}

/** Resolves when the site's process answers at `url`; rejects when it has ended, or after 20 s. */
export async function waitUntilReady(child: ChildProcess, url: string, output: () => string): Promise<void> {
  checkResponsesOf(new URL(url).origin);
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}:\n${output()}`);
    const ready = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`It did not answer in 20 s:\n${output()}`);
}
