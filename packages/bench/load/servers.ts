/** The servers under test, each a separate process. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { killOnExit, stopChild } from '../../../tests/support/processes/child-process.ts';
import { SESSION_SECRET } from './session-cookies.ts';

export type Server = { port: number; pid: number; stop(): Promise<void> };

/** Starts a script of `packages/bench/servers`. It sends its address over IPC when it listens. */
export async function startScript(script: string, args: readonly string[]): Promise<Server> {
  const child = fork(new URL(`../servers/${script}`, import.meta.url), args, {
    execArgv: [],
    env: { NODE_ENV: 'production' },
  });
  const [address] = await once(child, 'message');
  return toServer(child, Number(address.port));
}

export type StartedSite = Server & {
  /** Milliseconds from the start of the process to its first page. */
  firstPageMs: number;
};

/**
 * Starts the build in `directory`. Its log has the production level and is discarded. `launcher` is put before the
 * command, and has to run it in the same process.
 */
export async function startBuiltSite(
  directory: string,
  port: number,
  environment: Readonly<Record<string, string>>,
  launcher: readonly string[],
): Promise<StartedSite> {
  const origin = `http://localhost:${port}`;
  const [program = '', ...args] = [...launcher, process.execPath, 'build/server/server.js'];
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      APP_ORIGIN: origin,
      SESSION_SECRETS: SESSION_SECRET,
      RATE_LIMIT_SCALE: '0',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!(await isServed(`${origin}/fr`))) {
    if (child.exitCode !== null) throw new Error(`The site in ${directory} did not start.`);
    await delay(5);
  }
  return { ...toServer(child, port), firstPageMs: performance.now() - startedAt };
}

function isServed(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => (await response.text()) !== '' && response.ok,
    () => false,
  );
}

function toServer(child: ChildProcess, port: number): Server {
  if (child.pid === undefined) throw new Error('A server did not start.');
  killOnExit(child);
  return { port, pid: child.pid, stop: () => stopChild(child, 'SIGINT') };
}
