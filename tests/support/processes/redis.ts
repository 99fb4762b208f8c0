/** A Valkey or Redis server that a test can kill, freeze and restart. */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findRedis } from '../../../tools/setup/redis.mjs';
import { startServer, stopChild } from './child-process.ts';
import { freePort } from './site.ts';

export type RedisServer = {
  url: string;
  /** Kills the process. What it has not written to disk is lost. */
  kill(): Promise<void>;
  /** Starts a new server at the same address and with the same options. */
  restart(): Promise<void>;
  /** Suspends the process: connections stay open, and commands get no response. */
  freeze(): void;
  thaw(): void;
};

/** Path of the server program, or null when none is installed. Tests that need it are then skipped. */
export const redisProgram = findRedis();
if (redisProgram === null) {
  process.stdout.write(
    'Neither valkey-server nor redis-server is installed: tests that need one are SKIPPED.\n',
  );
}

const NOTHING_ON_DISK = ['--save', '', '--appendonly', 'no'];

/** Starts a server on a free port of 127.0.0.1 that requires a password and, without `options`, stores nothing on disk. */
export async function startRedis(options: readonly string[] = NOTHING_ON_DISK): Promise<RedisServer> {
  const port = await freePort();
  const password = randomBytes(24).toString('base64url');
  let child = await launch(port, password, options);
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    kill: () => stopChild(child, 'SIGKILL'),
    async restart() {
      child = await launch(port, password, options);
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

/** The options of the store in deploy/compose.yaml, with its data in `directory`. */
export function composeStoreOptions(directory: string): string[] {
  const command = /\[valkey-server, (.*)\]/.exec(readFileSync('deploy/compose.yaml', 'utf8'))?.[1] ?? '';
  return [...command.split(', ').map((option) => option.replaceAll('"', '')), '--dir', directory];
}

async function launch(port: number, password: string, options: readonly string[]): Promise<ChildProcess> {
  if (redisProgram === null) throw new Error('Neither valkey-server nor redis-server is installed');
  const address = ['--port', String(port), '--bind', '127.0.0.1', '--requirepass', password];
  return startServer(redisProgram, [...address, ...options], { port });
}
