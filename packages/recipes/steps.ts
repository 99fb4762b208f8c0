/** Commands in a copy of the repository, and what is printed about them. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const runFile = promisify(execFile);

/** Runs npm or a program of node_modules/.bin in the copy. Prints its output and rejects when it fails. */
export async function runInCopy(copy: string, program: string, args: readonly string[]): Promise<void> {
  const command = program === 'npm' ? program : join('node_modules', '.bin', program);
  try {
    await runFile(command, args, { cwd: copy, maxBuffer: MAX_OUTPUT_BYTES });
  } catch (error) {
    const { stdout = '', stderr = '' } = error instanceof Error ? { stdout: '', stderr: '', ...error } : {};
    process.stdout.write(`${stdout}\n${stderr}\n`);
    throw new Error(`${program} ${args.join(' ')} failed`);
  }
}

/** Runs a step and prints its name and duration. */
export async function step(name: string, action: () => void | Promise<void>): Promise<void> {
  const startedAt = performance.now();
  await action();
  process.stdout.write(`  ${name}  ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}
