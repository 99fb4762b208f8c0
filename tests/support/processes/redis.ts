/** A Valkey or Redis server that a test can kill, freeze and restart. */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { findRedis } from '../../../scripts/setup/redis.mjs';
import { startServer, stopChild } from './child-process.ts';
import { freePort } from './site.ts';

export type RedisServer = {
  url: string;
  /** Kills the process. Its data is lost. */
  kill(): Promise<void>;
  /** Starts a new, empty server at the same address. */
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

/** Starts a server on a free port of 127.0.0.1 that requires a password and stores nothing on disk. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const password = randomBytes(24).toString('base64url');
  let child = await launch(port, password);
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    kill: () => stopChild(child, 'SIGKILL'),
    async restart() {
      child = await launch(port, password);
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

async function launch(port: number, password: string): Promise<ChildProcess> {
  if (redisProgram === null) throw new Error('Neither valkey-server nor redis-server is installed');
  const address = ['--port', String(port), '--bind', '127.0.0.1', '--requirepass', password];
  const options = [...address, '--save', '', '--appendonly', 'no'];
  return startServer(redisProgram, options, { port });
}
