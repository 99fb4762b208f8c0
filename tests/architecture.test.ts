import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  areaOf,
  hasRow,
  isAllowed,
  printTable,
  unusedEntries,
  upwardEntries,
} from './architecture/folder-rules.ts';
import { folders } from './architecture/folders.ts';
import {
  findSiblingCycles,
  importsOf,
  reachableFrom,
  readImportGraph,
  sourceFilesIn,
} from './architecture/import-graph.ts';

/** These take everything as arguments: no environment, no clock, no network, no file, no randomness of Node. */
const pureModules = [
  'builds/build-data',
  'config/amplify-outputs',
  'config/env-values',
  'cookies/chunked-cookie',
  'cookies/cookie-jar',
  'cookies/flash-cookie',
  'cookies/sealed-cookie',
  'data-api/graphql-result',
  'graphql-proxy/operation-bounds',
  'graphql-proxy/operation-check',
  'graphql-proxy/trusted-documents',
  'http/content-coding',
  'http/error-response',
  'http/request-filter',
  'http/response-head',
  'icons/svg-body',
  'page-cache/page-cache-key',
  'preferences/canonical-address',
  'preferences/locale-detection',
  'preferences/preferences',
  'rendering/page-rules',
  'resilience/circuit-breaker',
  'session/session-cookie',
  'session/session-record',
  'session/token-packing',
  'sign-in/return-to',
  'sign-in/sign-in-attempt',
  'signing/signing',
].map((name) => `app/server/${name}.ts`);

const impure =
  /process\.|Date\.now|new Date\(\)|\bfetch\(|performance\.|Math\.random|random(?:Bytes|UUID)|setTimeout|setInterval|'node:(?:http|https|net|dns|tls|fs)['/]|'undici'|'@redis\//;

const product = ['app', 'local-cloud', 'bench', 'scripts/aws', 'scripts/doctor']
  .flatMap(sourceFilesIn)
  .concat('server.ts');
const files = [...new Set([...product, ...['scripts', 'tests'].flatMap(sourceFilesIn)])];
const graph = readImportGraph(files);
const valueGraph = readImportGraph(product, { values: true });
const imports = product.flatMap((file) => importsOf(file).map((found) => ({ file, ...found })));

describe('the table of folders', () => {
  it('has a row for every folder', () => {
    expect(product.filter((file) => !hasRow(file))).toEqual([]);
  });

  it('is ordered from bottom to top', () => {
    expect(folders.filter((folder) => upwardEntries(folder).length > 0)).toEqual([]);
  });

  it('allows every import, and type imports where it allows only types', () => {
    expect(imports.filter((found) => !isAllowed(found.file, found))).toEqual([]);
  });

  it.each(folders)('has no entry for $path that no import needs', (folder) => {
    const own = imports.filter(({ file }) => areaOf(file) === folder.path);
    expect(unusedEntries(folder, new Set(own.map(({ target }) => areaOf(target))))).toEqual([]);
  });

  it('is the table of the README (npm run architecture prints it)', () => {
    const block = /<!-- architecture -->\n([\s\S]*?)<!-- \/architecture -->/.exec(
      readFileSync('README.md', 'utf8'),
    );
    expect(block?.[1]).toBe(`${printTable()}\n`);
  });
});

describe('imports', () => {
  it.each(['app', 'local-cloud', 'bench', 'scripts', 'tests/support'])(
    'have no cycles between files or folders of %s, type imports included',
    (folder) => {
      expect(findSiblingCycles(graph, folder)).toEqual([]);
    },
  );

  it('of app and server.ts never lead to the local cloud, nor do their texts mention it', () => {
    const site = product.filter((file) => !/^(?:local-cloud|bench)\//.test(file));
    expect(site.filter((file) => [...reachableFrom(graph, file)].some(isInLocalCloud))).toEqual([]);
    expect(site.filter((file) => /local.?cloud/i.test(withoutComments(file)))).toEqual([]);
  });

  it('of server values come from route modules and .server.ts files, not from components', () => {
    const found = imports.filter(
      ({ file, target, isType }) =>
        !isType && target.startsWith('app/server/') && file.startsWith('app/') && !isServerOrRoute(file),
    );
    expect(found).toEqual([]);
  });

  it('never name a test, except in tests', () => {
    const found = imports.filter(({ target }) => /^tests\/(?!support\/)/.test(target));
    expect(found).toEqual([]);
  });
});

describe('access to the outside', () => {
  it.each([
    ['app', 'app/server/config/env.ts'],
    ['local-cloud', 'local-cloud/main.ts'],
  ])('reads the environment of %s only in %s', (folder, reader) => {
    const readers = product.filter(
      (file) =>
        (file.startsWith(`${folder}/`) || file === 'server.ts') && /process\.env/.test(withoutComments(file)),
    );
    expect(readers).toEqual([reader]);
  });

  it.each(pureModules)('is not used by %s or what it imports', (module) => {
    const found = [...reachableFrom(valueGraph, module)].filter((file) => impure.test(withoutComments(file)));
    expect(found).toEqual([]);
  });
});

describe('files and folders', () => {
  it('have names with a subject', () => {
    const vague = /(?:^|\/)(?:utils?|lib|helpers?|misc|common|auth)(?:\/|(?:\.server)?\.(?:tsx?|mjs)$)/;
    expect(files.filter((file) => vague.test(file))).toEqual([]);
  });

  it('of app/server have no .server suffix, because the whole folder is the server’s', () => {
    expect(files.filter((file) => file.startsWith('app/server/') && file.includes('.server.'))).toEqual([]);
  });

  it('are copied into the build of the container image', () => {
    const copied = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const builders = readImportGraph([...files, 'vite.config.ts', 'remix.config.js']);
    const needed = ['vite.config.ts', 'remix.config.js', 'server.ts', ...sourceFilesIn('app')].flatMap(
      (file) => [...reachableFrom(builders, file)],
    );
    expect(needed.filter((file) => !copied.includes(file.split('/')[0] ?? ''))).toEqual([]);
  });

  it('use logical directions in class names, so that right-to-left languages need no second style', () => {
    const physical =
      /(?<![\w-])-?(?:m[lr]|p[lr]|left|right|border-[lr]|rounded-[lr]|text-(?:left|right)|float-(?:left|right))-?(?:\d|\[|px|auto|full|sm|md|lg|none)?(?=[\s"'`])/;
    const found = files
      .filter((file) => /^app\/(components|layouts|pages)\//.test(file))
      .flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/className=(?:"([^"]*)"|\{`([^`]*)`\})/g)].map((match) => ({
          file,
          classes: match[1] ?? match[2] ?? '',
        })),
      )
      .filter(({ classes }) => physical.test(` ${classes} `));
    expect(found).toEqual([]);
  });
});

/** Whether a file of app runs on the server only, or is a route module, whose loader and action do. */
function isServerOrRoute(file: string): boolean {
  return (
    /^app\/(?:server|resources)\//.test(file) ||
    /\.server\.tsx?$/.test(file) ||
    /^app\/pages\/([^/]+)\/\1\.tsx$/.test(file) ||
    file === 'app/root.tsx'
  );
}

function isInLocalCloud(file: string): boolean {
  return file.startsWith('local-cloud/');
}

function withoutComments(file: string): string {
  return readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
