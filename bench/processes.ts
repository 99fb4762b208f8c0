/** The servers that are measured, each a process of its own, and what the machine says of them. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the measured site seals with, so that the parts of its work can be measured by themselves. */
export const SECRET = 'm4Wd8sQz1RxK7vNbT3hYc9LpJf6GuE2a';

export type Measured = { port: number; pid: number; stop(): Promise<void> };

/** Starts one of the scripts of this folder, which tells its address when it listens. */
export async function startScript(script: string, args: readonly string[]): Promise<Measured> {
  const child = fork(new URL(script, import.meta.url), args, {
    execArgv: [],
    env: { NODE_ENV: 'production' },
  });
  const [address] = await once(child, 'message');
  return measured(child, Number(address.port));
}

/** Starts the built site, its log as in production and going nowhere; `firstAnswerMs` is counted from the start. */
export async function startBuiltSite(
  port: number,
  environment: Record<string, string>,
): Promise<Measured & { firstAnswerMs: number }> {
  const origin = `http://localhost:${port}`;
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['build/server/server.js'], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      APP_ORIGIN: origin,
      SESSION_SECRETS: SECRET,
      RATE_LIMIT_SCALE: '0',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!(await answers(`${origin}/fr`))) {
    if (child.exitCode !== null) throw new Error('The site did not start.');
    await sleep(5);
  }
  return { ...measured(child, port), firstAnswerMs: performance.now() - startedAt };
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => (await response.text()) !== '' && response.ok,
    () => false,
  );
}

function measured(child: ChildProcess, port: number): Measured {
  if (child.pid === undefined) throw new Error('A server did not start.');
  return {
    port,
    pid: child.pid,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      await exited;
    },
  };
}

/** Resident memory of a process in MiB. */
export function residentMemory(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}
