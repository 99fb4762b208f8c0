import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Thrown when another process uses the folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/**
 * Reserves a folder for this process with a file that contains the process id, and returns a function that releases
 * it. Throws `FolderInUseError` when another running process has reserved the folder. A file that a killed process
 * left is replaced.
 */
export function lockFolder(directory: string, file: string): () => void {
  const owner = readOwner(file);
  if (owner !== null && owner !== process.pid && isRunning(owner)) {
    throw new FolderInUseError(
      `Process ${owner} uses the folder ${directory}. Stop it, or set CLOUD_DATA to another folder. If that process is not a local cloud, delete ${file}.`,
    );
  }
  writeFileSync(file, String(process.pid), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

function readOwner(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8')) || null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Signal 0 only checks that the process exists. `EPERM` means that it exists and belongs to another user. */
function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
