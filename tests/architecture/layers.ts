/** The rules about who imports whom. docs/architecture.md states them: the folders of the site in order, then the packages. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Import } from './import-graph.ts';

const sections = readFileSync('docs/architecture.md', 'utf8').split('\n## ');
const sectionOf = (title: string) => sections.find((text) => text.startsWith(`${title}\n`)) ?? '';

/** The first column of the table of folders: what belongs to the site, from bottom to top. */
export const order: readonly string[] = [...sectionOf('Folders').matchAll(/^\| `(\S+)` \|/gm)].map(
  ([, row = '']) => row,
);

/** The table of packages and tools: what each of them imports beside its own files. */
export const packages: ReadonlyMap<string, readonly string[]> = new Map(
  [...sectionOf('Packages').matchAll(/^\| `(\S+)` \|.*\|([^|]*)\|$/gm)].map(([, name = '', imports = '']) => [
    name,
    [...imports.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  ]),
);

/** The packages that the site imports by name. */
export const libraries = ['upstream', 'site-server', 'cognito-session', 'appsync-proxy'];

/** The position of a file in the order, or -1. A row stands for what is below it, and `folder/*` for its files only. */
export function levelOf(file: string): number {
  return order.findIndex((row) => isIn(row, file));
}

/** The rule that an import breaks, or null. */
export function brokenRule(file: string, { target, isType }: Import): string | null {
  if (belongsToTests(target) && !target.includes('/support/') && !belongsToTests(file))
    return 'only tests import tests';
  if (belongsToTests(file)) return null;
  if (!isSite(file)) return brokenPackageRule(file, target);
  if (!isSite(target)) {
    if (!libraries.some((name) => target === `packages/${name}/src/index.ts`))
      return 'the site imports libraries only';
    return isType || runsOnServer(file) ? null : 'the browser gets no server code';
  }
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

/** Whether the file is a test or a helper of tests. */
export function belongsToTests(file: string): boolean {
  return /^(?:(?:packages|tools)\/[^/]+\/)?tests\//.test(file);
}

function brokenPackageRule(file: string, target: string): string | null {
  const [own, imports] = [...packages].find(([name]) => isIn(name, file)) ?? [];
  if (!own || !imports) return 'every package and tool is in the table';
  const isNamed = [own, ...imports].some((path) => isIn(path, target));
  return isNamed ? null : 'a package or tool imports what the table names';
}

/** Whether the file is `path` or in this folder. `folder/*` stands for the files of the folder itself. */
export function isIn(path: string, file: string): boolean {
  return file === path || file.startsWith(`${path}/`) || `${dirname(file)}/*` === path;
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
