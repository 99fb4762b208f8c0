import type { ChildProcess } from 'node:child_process';

/** Ends a child at once when this process ends before it, so that nothing of a test that was cut short lives on. */
export function killOnExit(child: ChildProcess): void {
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
}
