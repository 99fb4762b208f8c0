import type { ChildProcess } from 'node:child_process';

/** Kills the child when this process exits first, so that an interrupted test run leaves no process behind. */
export function killOnExit(child: ChildProcess): void {
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}
