/** Applies the table of folders to the imports of the code, and prints it. */
import { dirname } from 'node:path';
import { type Folder, folders } from './folders.ts';
import type { Import } from './import-graph.ts';

const rows = new Map(folders.map((folder) => [folder.path, folder]));

/** The path of the row that a file belongs to, or its folder if the table has no row for it. */
export function areaOf(file: string): string {
  return rows.has(file) ? file : dirname(file);
}

/** Whether the table has a row for the file. */
export function hasRow(file: string): boolean {
  return rows.has(areaOf(file));
}

/** Whether the table allows a file to import another. */
export function isAllowed(file: string, { target, isType }: Import): boolean {
  const [from, to] = [areaOf(file), areaOf(target)];
  const { imports = [], types = [] } = rows.get(from) ?? {};
  return from === to || covers(imports, to) || (isType && covers(types, to));
}

/** The entries of a row that no import of `areas` needs. */
export function unusedEntries({ imports, types = [] }: Folder, areas: ReadonlySet<string>): string[] {
  return [...imports, ...types].filter((entry) => ![...areas].some((area) => covers([entry], area)));
}

/** The entries of a row that name a row at or below it. Entries that name no row are outside the table. */
export function upwardEntries({ path, imports, types = [] }: Folder): string[] {
  const order = folders.map((folder) => folder.path);
  const isUpward = (entry: string) =>
    order.some((other) => covers([entry], other) && order.indexOf(other) >= order.indexOf(path));
  return [...imports, ...types].filter(isUpward);
}

function covers(entries: readonly string[], area: string): boolean {
  return entries.some((entry) =>
    entry.endsWith('/*') ? area.startsWith(entry.slice(0, -1)) : area === entry,
  );
}

/** The table as Markdown. Folders with the same parent as the row's are named without it. */
export function printTable(): string {
  const lines = folders.map((folder) => `| \`${folder.path}\` | ${folder.holds} | ${printEntries(folder)} |`);
  return ['| folder | contents | imports |', '|---|---|---|', ...lines].join('\n');
}

function printEntries({ path, imports, types = [] }: Folder): string {
  const parent = `${dirname(path)}/`;
  const name = (entry: string) => {
    const rest = entry.startsWith(parent) ? entry.slice(parent.length) : entry;
    return `\`${rest === '' || path.split('/').length < 3 ? entry : rest}\``;
  };
  const entries = [...imports.map(name), ...types.map((entry) => `types of ${name(entry)}`)];
  return entries.join(', ') || '–';
}
