/** Reads which file of the project imports which other, types included, and finds cycles. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** From a node to the nodes that it imports. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

export type Import = {
  /** Path of the imported file from the root of the project. */
  target: string;
  /** Whether the build erases the import. */
  isType: boolean;
};

const SOURCE_FILE = /\.(?:ts|tsx|mjs)$/;

/** Every source file below a folder, as a path from the root of the project. */
export function sourceFilesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => SOURCE_FILE.test(file) && !file.endsWith('.d.ts'))
    .map((file) => join(folder, file))
    .sort();
}

/** The imports between `files`, type imports included unless `values` is set. Imports of other files are left out. */
export function readImportGraph(files: readonly string[], { values = false } = {}): ImportGraph {
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const imports = importsOf(file).filter(
        ({ target, isType }) => known.has(target) && !(values && isType),
      );
      return [file, new Set(imports.map(({ target }) => target))];
    }),
  );
}

/** The project's files that a file imports: static and dynamic imports, re-exports and type imports. */
export function importsOf(file: string): Import[] {
  const imports = allImportsOf(file).map((found) => ({ ...found, target: resolve(file, found.target) }));
  return imports.filter(({ target }) => SOURCE_FILE.test(target) && existsSync(target));
}

/** The npm packages of which a file imports values. */
export function packagesImportedBy(file: string): string[] {
  return allImportsOf(file).flatMap(({ target, isType }) => {
    const [name] = /^(?:@[a-z][^/]*\/)?[a-z][^/:]*(?=\/|$)/.exec(target) ?? [];
    return isType || !name ? [] : name;
  });
}

const read = new Map<string, readonly Import[]>();

function allImportsOf(file: string): readonly Import[] {
  const known = read.get(file);
  if (known) return known;
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const imports: Import[] = [];
  const visit = (node: ts.Node): void => {
    const found = parseImport(node);
    if (found) imports.push(found);
    ts.forEachChild(node, visit);
  };
  visit(source);
  read.set(file, imports);
  return imports;
}

function parseImport(node: ts.Node): Import | null {
  if (ts.isImportDeclaration(node)) {
    return toImport(node.moduleSpecifier, node.importClause?.isTypeOnly ?? false);
  }
  if (ts.isExportDeclaration(node)) return toImport(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return toImport(node.argument.literal, true);
  }
  const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isDynamic ? toImport(node.arguments[0], false) : null;
}

function toImport(specifier: ts.Node | undefined, isType: boolean): Import | null {
  return specifier && ts.isStringLiteral(specifier) ? { target: specifier.text, isType } : null;
}

function resolve(file: string, specifier: string): string {
  const path = specifier.replace(/\?.*$/, '');
  if (path.startsWith('~/')) return join('app', path.slice(2));
  if (path === '#upstream') return 'packages/upstream/src/index.ts';
  const [, library, entry = 'index'] = /^@tenfold\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
  if (library) return `packages/${library}/src/${entry}.ts`;
  return path.startsWith('.') ? normalize(join(dirname(file), path)) : specifier;
}

/** `start` and every file that it imports, directly or through others. */
export function reachableFrom(graph: ImportGraph, start: string): Set<string> {
  const reached = new Set([start]);
  for (const node of reached) for (const target of graph.get(node) ?? []) reached.add(target);
  return reached;
}

/** The nodes that import themselves through others. */
function nodesInCycles(graph: ImportGraph): string[] {
  return [...graph.keys()].filter((node) =>
    [...(graph.get(node) ?? [])].some((target) => reachableFrom(graph, target).has(node)),
  );
}

/**
 * The files and folders that import each other in a cycle with their neighbors, at every level below `root`. A folder stands
 * for everything below it, so no such cycle means no cycle between any folders, and none between files.
 */
export function findSiblingCycles(graph: ImportGraph, root: string): string[] {
  const files = [...graph.keys()].filter((file) => file.startsWith(`${root}/`));
  return [...new Set(files.flatMap(parentFolders))]
    .filter((folder) => folder === root || folder.startsWith(`${root}/`))
    .flatMap((folder) => nodesInCycles(groupGraph(graph, (file) => childOf(folder, file))));
}

/** The graph between groups of nodes. Nodes for which `groupOf` returns null are left out. */
function groupGraph(graph: ImportGraph, groupOf: (node: string) => string | null): ImportGraph {
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

function parentFolders(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
}

/** The file or folder directly in `folder` that `file` belongs to, or null. */
function childOf(folder: string, file: string): string | null {
  if (!file.startsWith(`${folder}/`)) return null;
  return `${folder}/${file.slice(folder.length + 1).split('/')[0]}`;
}
