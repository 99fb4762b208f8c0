/** Programs that run beside this process. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { acceptsConnections } from '../http/raw-socket.ts';
import { waitUntil } from '../timing/wait-until.ts';

/** Kills the child when this process exits first, so that an interrupted test run leaves no process behind. */
export function killOnExit(child: ChildProcess): void {
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}

/** Starts a program. `output` returns everything that it has written so far. */
export function startChild(
  program: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'>,
): { child: ChildProcess; output(): string } {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  killOnExit(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  return { child, output: () => output };
}

/** Starts a server with `environment` added to that of this process. Resolves when it accepts connections at the port. */
export async function startServer(
  program: string,
  args: readonly string[],
  { port, cwd, environment = {} }: { port: number; cwd?: string; environment?: Record<string, string> },
): Promise<ChildProcess> {
  const { child, output } = startChild(program, args, { cwd, env: { ...process.env, ...environment } });
  const message = () => `${program} did not start:\n${output()}`;
  const accepts = () => {
    if (!isRunning(child)) throw new Error(message());
    return acceptsConnections(port);
  };
  await waitUntil(accepts, { message, intervalMs: 20 });
  return child;
}

export function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Sends the signal and resolves when the process has exited. */
export async function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!isRunning(child)) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
