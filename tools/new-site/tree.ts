/** Edits of the working tree. An edit that does not fit throws, so that nothing is left half done in silence. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const read = (path: string): string => readFileSync(path, 'utf8');

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Removes files and folders. Those that do not exist are left out. */
export function remove(...paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true });
}

/** Replaces the text of a file. Throws when the change leaves it as it was. */
export function edit(path: string, change: (text: string) => string): void {
  const before = read(path);
  const after = change(before);
  if (after === before) throw new Error(`Nothing to change was found in ${path}.`);
  writeFileSync(path, after);
}

/** Removes the lines that contain one of the texts. */
export function removeLines(path: string, ...texts: readonly string[]): void {
  edit(path, (content) =>
    content
      .split('\n')
      .filter((line) => !texts.some((text) => line.includes(text)))
      .join('\n'),
  );
}

export type Json = { [key: string]: Json | string };

export function editJson<T>(path: string, change: (content: T) => void): void {
  const content: T = JSON.parse(read(path));
  change(content);
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
}

/** All files with this ending below the folders, and in the root with `.`. */
export function filesBelow(ending: string, ...folders: readonly string[]): string[] {
  return folders.filter(existsSync).flatMap((folder) =>
    readdirSync(folder, { recursive: folder !== '.', encoding: 'utf8' })
      .filter((file) => file.endsWith(ending))
      .map((file) => join(folder, file)),
  );
}
