/** Reads which file of the project imports which other, types included, and finds cycles. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** From a node to the nodes that it imports. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

const SOURCE_FILE = /\.(?:ts|tsx|mjs)$/;

/** Every source file below a folder, as a path from the root of the project. */
export function sourceFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => SOURCE_FILE.test(file) && !file.endsWith('.d.ts'))
    .map((file) => join(folder, file))
    .sort();
}

/** The imports between `files`. Imports of packages and of files outside `files` are left out. */
export function readImportGraph(files: readonly string[]): ImportGraph {
  const known = new Set(files);
  return new Map(files.map((file) => [file, new Set(importsOf(file).filter((target) => known.has(target)))]));
}

/** The project's files that a file imports: static and dynamic imports, re-exports and type imports. */
export function importsOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const targets = new Set<string>();
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== null) targets.add(resolve(file, specifier));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...targets].filter((target) => existsSync(target));
}

function specifierOf(node: ts.Node): string | null {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal);
  const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isDynamic ? textOf(node.arguments[0]) : null;
}

function textOf(node: ts.Node | undefined): string | null {
  return node && ts.isStringLiteral(node) ? node.text : null;
}

function resolve(file: string, specifier: string): string {
  const path = specifier.replace(/\?.*$/, '');
  if (path.startsWith('~/')) return join('app', path.slice(2));
  return path.startsWith('.') ? normalize(join(dirname(file), path)) : specifier;
}

/** The graph between groups of nodes. Nodes for which `groupOf` returns null are left out. */
export function groupGraph(graph: ImportGraph, groupOf: (node: string) => string | null): ImportGraph {
  const groups = new Map<string, Set<string>>();
  for (const [node, targets] of graph) {
    const from = groupOf(node);
    if (from === null) continue;
    const group = groups.get(from) ?? new Set();
    groups.set(from, group);
    for (const target of targets) {
      const to = groupOf(target);
      if (to !== null && to !== from) group.add(to);
    }
  }
  return groups;
}

/** One cycle for every group of nodes that import each other, as `a → b → a`. */
export function findCycles(graph: ImportGraph): string[] {
  const cycles: string[] = [];
  const reported = new Set<string>();
  for (const node of graph.keys()) {
    if (reported.has(node)) continue;
    const path = shortestPathBack(graph, node);
    if (!path) continue;
    for (const member of path) reported.add(member);
    cycles.push([...path, node].join(' → '));
  }
  return cycles;
}

/** The nodes of the shortest cycle through `start`, or null. */
function shortestPathBack(graph: ImportGraph, start: string): string[] | null {
  const queue: string[][] = [[start]];
  const seen = new Set<string>();
  for (let path = queue.shift(); path; path = queue.shift()) {
    for (const target of graph.get(path.at(-1) ?? '') ?? []) {
      if (target === start) return path;
      if (seen.has(target)) continue;
      seen.add(target);
      queue.push([...path, target]);
    }
  }
  return null;
}

/**
 * The cycles between files and folders that are next to each other, for every folder that holds `files`. A folder stands
 * for everything below it. No such cycle means no cycle between folders of any depth, and none between files.
 */
export function findSiblingCycles(graph: ImportGraph): string[] {
  return parentFolders([...graph.keys()]).flatMap((folder) =>
    findCycles(groupGraph(graph, (file) => childOf(folder, file))),
  );
}

function parentFolders(files: readonly string[]): string[] {
  const folders = new Set<string>(['.']);
  for (const file of files)
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  return [...folders].sort();
}

function childOf(folder: string, file: string): string | null {
  if (folder === '.') return file.split('/')[0] ?? null;
  if (!file.startsWith(`${folder}/`)) return null;
  return `${folder}/${file.slice(folder.length + 1).split('/')[0]}`;
}
