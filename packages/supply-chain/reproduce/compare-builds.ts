/** Compares two builds byte by byte. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Where the running site keeps the assets of earlier builds (`BUILDS_DIRECTORY`). */
const WRITTEN_BY_SITE = /^kept(?:\/|$)/;

/** Returns the files that only one of two folders contains, or that have other bytes in them, sorted. */
export function differingFiles(folder: string, other: string): string[] {
  const files = new Set([...filesIn(folder), ...filesIn(other)]);
  return [...files].filter((file) => !haveSameBytes(join(folder, file), join(other, file))).sort();
}

/** Returns the files of a build, without those that the running site has written. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !WRITTEN_BY_SITE.test(file) && statSync(join(folder, file)).isFile(),
  );
}

function haveSameBytes(path: string, other: string): boolean {
  return existsSync(path) && existsSync(other) && readFileSync(path).equals(readFileSync(other));
}
