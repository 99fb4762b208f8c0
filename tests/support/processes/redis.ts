/** A real Valkey or Redis server of the test's own, which can be killed, frozen and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { findRedis } from '../../../scripts/redis.mjs';
import { killOnExit } from './kill-on-exit.ts';
import { freePort } from './site.ts';

export type RedisServer = {
  url: string;
  /** Ends it at once, and with it everything that it holds. */
  kill(): Promise<void>;
  /** Starts it again, empty, at the same address. */
  restart(): Promise<void>;
  /** It keeps its connections and answers nothing. */
  freeze(): void;
  thaw(): void;
};

/** Path of the server's program; null where there is none. Says so, since the tests that need it are skipped then. */
export const redisProgram = findRedis();
if (redisProgram === null) {
  process.stdout.write(
    'Neither valkey-server nor redis-server is installed: tests that need one are SKIPPED.\n',
  );
}

/** Starts a server on a free port of 127.0.0.1 that asks for a password and keeps nothing on disk. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const password = randomBytes(24).toString('base64url');
  let child = await launch(port, password);
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
    async restart() {
      child = await launch(port, password);
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

async function launch(port: number, password: string): Promise<ChildProcess> {
  if (redisProgram === null) throw new Error('There is no valkey-server or redis-server');
  const address = ['--port', String(port), '--bind', '127.0.0.1', '--requirepass', password];
  const options = [...address, '--save', '', '--appendonly', 'no'];
  const child = spawn(redisProgram, options, { stdio: 'ignore', cwd: '/' });
  killOnExit(child);
  const deadline = Date.now() + 10_000;
  while (!(await accepts(port))) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error('The store did not start');
  }
  return child;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return false;
  } finally {
    socket.destroy();
  }
}
