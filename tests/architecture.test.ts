import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  findSiblingCycles,
  importsOf,
  reachableFrom,
  readImportGraph,
  sourceFilesIn,
} from './architecture/import-graph.ts';
import { belongsToTests, brokenRule, isIn, isSite, levelOf, order, packages } from './architecture/layers.ts';

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

/** The site, and the commands that configure and check it. */
const product = ['app', 'packages/aws', 'packages/operations']
  .flatMap(sourceFilesIn)
  .filter((file) => !belongsToTests(file))
  .concat('server.ts');
const folders = ['app', 'packages', 'scripts', 'tests'];
const files = [...folders.flatMap(sourceFilesIn), 'server.ts'];
const graph = readImportGraph(files);
/** Without the tests, which may import every package. */
const packageGraph = readImportGraph(files.filter((file) => !belongsToTests(file)));
const valueGraph = readImportGraph(product, { values: true });
const imports = files.flatMap((file) => importsOf(file).map((found) => ({ file, ...found })));

describe('imports', () => {
  it('follow the rules of the layers', () => {
    const broken = imports.map((found) => ({ ...found, rule: brokenRule(found.file, found) }));
    expect(broken.filter(({ rule }) => rule !== null)).toEqual([]);
  });

  it.each([
    ['imports lead down', 'app/server/http/send.ts', 'app/server/rendering/page-data.ts'],
    ['a page is imported by no other file', 'app/pages/home/home.tsx', 'app/pages/privacy/cookies.ts'],
    ['the browser gets no server code', 'app/pages/home/run-it.tsx', 'app/server/http/send.ts'],
    ['the site imports nothing else', 'app/server/site.ts', 'scripts/setup/setup.mjs'],
    ['a package imports what the table names', 'packages/local-cloud/start.ts', 'app/pages.ts'],
    ['every package is in the table', 'packages/new/main.ts', 'app/pages.ts'],
    ['only tests import tests', 'app/pages.ts', 'packages/aws/tests/env.test.ts'],
  ])('break the rule that %s if %s imports %s', (rule, file, target) => {
    expect(brokenRule(file, { target, isType: false })).toBe(rule);
  });

  it.each(folders)('have no cycles between files or folders of %s, type imports included', (folder) => {
    expect(findSiblingCycles(folder === 'tests' ? graph : packageGraph, folder)).toEqual([]);
  });

  it('of the site and of the commands for AWS never lead to the local cloud, nor do their texts mention it', () => {
    const isInLocalCloud = (file: string) => file.startsWith('packages/local-cloud/');
    expect(product.filter((file) => [...reachableFrom(graph, file)].some(isInLocalCloud))).toEqual([]);
    expect(product.filter((file) => /local.?cloud/i.test(withoutComments(file)))).toEqual([]);
  });
});

describe('the order of folders in docs/architecture.md', () => {
  it('names every file of the site', () => {
    expect(files.filter((file) => isSite(file) && levelOf(file) === -1)).toEqual([]);
  });

  it('names nothing that does not exist', () => {
    const used = new Set(files.map(levelOf));
    expect(order.filter((_row, level) => !used.has(level))).toEqual([]);
  });
});

describe('the table of packages in docs/architecture.md', () => {
  it('names every package, and nothing that does not exist', () => {
    const folders = readdirSync('packages').map((name) => `packages/${name}`);
    expect([...packages.keys()].filter((name) => name !== 'scripts').sort()).toEqual(folders.sort());
  });

  it('names no import that no file needs', () => {
    const unused = [...packages].flatMap(([name, allowed]) =>
      allowed
        .filter((path) => !imports.some(({ file, target }) => isIn(name, file) && isIn(path, target)))
        .map((path) => `${name} → ${path}`),
    );
    expect(unused).toEqual([]);
  });
});

describe('access to the outside', () => {
  it.each([
    ['app', 'app/server/config/env.ts'],
    ['packages/local-cloud', 'packages/local-cloud/main.ts'],
  ])('reads the environment of %s only in %s', (folder, reader) => {
    const readers = files.filter(
      (file) =>
        (isIn(folder, file) || file === 'server.ts') &&
        !belongsToTests(file) &&
        /process\.env/.test(withoutComments(file)),
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
    expect(needed.filter((file) => !copied.some((path) => isIn(path, file)))).toEqual([]);
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

function withoutComments(file: string): string {
  return readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
