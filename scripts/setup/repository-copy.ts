/** Copies of the repository in temporary folders. */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const runFile = promisify(execFile);

/** Copies the files that git tracks or would track. Packages are shared. */
export function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'recipes-'));
  const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { encoding: 'utf8' });
  for (const file of list.split('\0')) if (file !== '' && existsSync(file)) cpSync(file, join(copy, file));
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
}

export function removeCopy(copy: string): void {
  rmSync(copy, { recursive: true, force: true });
}

/** Runs npm or a program of node_modules/.bin in the copy. Rejects with its output when it fails. */
export async function runInCopy(copy: string, program: string, args: readonly string[]): Promise<void> {
  const command = program === 'npm' ? program : join('node_modules', '.bin', program);
  try {
    await runFile(command, args, { cwd: copy, maxBuffer: MAX_OUTPUT_BYTES });
  } catch (error) {
    const { stdout = '', stderr = '' } = error instanceof Error ? { stdout: '', stderr: '', ...error } : {};
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}
