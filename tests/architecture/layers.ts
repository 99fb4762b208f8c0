/** The rules about who imports whom. docs/architecture.md states them, and lists the files and folders of the site in order. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Import } from './import-graph.ts';

const [, section = ''] = readFileSync('docs/architecture.md', 'utf8').split('\n## Folders\n');

/** The first column of its table: what belongs to the site, from bottom to top. */
export const order: readonly string[] = [
  ...(section.split('\n## ', 1)[0] ?? '').matchAll(/^\| `(\S+)` \|/gm),
].map(([, row = '']) => row);

/** The position of a file in the order, or -1. A row stands for what is below it, and `folder/*` for its files only. */
export function levelOf(file: string): number {
  return order.findIndex((row) => file === row || file.startsWith(`${row}/`) || `${dirname(file)}/*` === row);
}

/** The rule that an import breaks, or null. */
export function brokenRule(file: string, { target, isType }: Import): string | null {
  if (isTest(target) && !file.startsWith('tests/')) return 'only tests import tests';
  if (file.startsWith('local-cloud/') && isSite(target) && target !== 'app/site-name.ts')
    return 'the local cloud knows only the name of the site';
  if (!isSite(file)) return null;
  if (!isSite(target)) return 'the site imports nothing else';
  if (levelOf(target) > levelOf(file)) return 'imports lead down';
  const page = folderOfPage(target);
  if (page && !file.startsWith(page)) return 'a page is imported by no other file';
  const isServerValue = target.startsWith('app/server/') && !isType;
  return isServerValue && !runsOnServer(file) ? 'the browser gets no server code' : null;
}

/** Whether the file belongs to the site that is deployed. */
export function isSite(file: string): boolean {
  return file.startsWith('app/') || file === 'server.ts';
}

function isTest(file: string): boolean {
  return file.startsWith('tests/') && !file.includes('/support/');
}

function folderOfPage(file: string): string | undefined {
  return /^app\/pages\/[^/]+\//.exec(file)?.[0];
}

/** Whether a file of the site runs on the server only, or is a route module, whose loader and action do. */
function runsOnServer(file: string): boolean {
  return (
    /^app\/(?:server|resources)\//.test(file) ||
    /\.server\.tsx?$/.test(file) ||
    /^app\/pages\/([^/]+)\/\1\.tsx$/.test(file) ||
    file === 'app/root.tsx' ||
    file === 'server.ts'
  );
}
