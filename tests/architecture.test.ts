import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  findSiblingCycles,
  importsOf,
  reachableFrom,
  readImportGraph,
  sourceFilesIn,
} from './architecture/import-graph.ts';
import {
  belongsToTests,
  brokenRule,
  isIn,
  isSite,
  levelOf,
  libraries,
  order,
  packages,
} from './architecture/layers.ts';

/** These take everything as arguments: no environment, no clock, no network, no file, no randomness of Node. */
const pureModules = [
  'app/server/builds/build-data.ts',
  'app/server/config/amplify-outputs.ts',
  'app/server/config/env-values.ts',
  'packages/site-server/src/content-coding.ts',
  'app/server/errors/error-response.ts',
  'packages/site-server/src/request-filter.ts',
  'packages/site-server/src/response-head.ts',
  'app/server/icons/svg-body.ts',
  'app/server/page-cache/page-cache-key.ts',
  'app/server/preferences/canonical-address.ts',
  'app/server/preferences/locale-detection.ts',
  'app/server/preferences/preferences.ts',
  'app/server/rendering/page-rules.ts',
  'packages/appsync-proxy/src/data-api/graphql-result.ts',
  'packages/appsync-proxy/src/signing/signing.ts',
  'packages/appsync-proxy/src/proxy/operation-check.ts',
  'packages/appsync-proxy/src/proxy/trusted-documents.ts',
  'packages/cognito-session/src/cookies/chunked-cookie.ts',
  'packages/cognito-session/src/cookies/cookie-jar.ts',
  'packages/cognito-session/src/cookies/sealed-cookie.ts',
  'packages/cognito-session/src/session/session-cookie.ts',
  'packages/cognito-session/src/session/session-record.ts',
  'packages/cognito-session/src/session/token-packing.ts',
  'packages/cognito-session/src/sign-in/return-to.ts',
  'packages/cognito-session/src/sign-in/sign-in-attempt.ts',
  'packages/upstream/src/circuit-breaker.ts',
];

const impure =
  /process\.|Date\.now|new Date\(\)|\bfetch\(|performance\.|Math\.random|random(?:Bytes|UUID)|setTimeout|setInterval|'node:(?:http|https|net|dns|tls|fs)['/]|'undici'|'@redis\//;

/** The site, and the commands that configure and check it. */
const product = ['app', 'tools/aws', 'tools/doctor', ...libraries.map((name) => `packages/${name}`)]
  .flatMap(sourceFilesIn)
  .filter((file) => !belongsToTests(file))
  .concat('server.ts');
const folders = ['app', 'packages', 'tests', 'tools'];
const files = [...folders.flatMap(sourceFilesIn), 'server.ts'];
const graph = readImportGraph(files);
/** Without the tests, which may import every package. */
const packageGraph = readImportGraph(files.filter((file) => !belongsToTests(file)));
/** A library's entry leads to all of it. */
const valueGraph = readImportGraph(
  product.filter((file) => !/^packages\/[^/]+\/src\/index\.ts$/.test(file)),
  { values: true },
);
const imports = files.flatMap((file) => importsOf(file).map((found) => ({ file, ...found })));

describe('imports', () => {
  it('follow the rules of the layers', () => {
    const broken = imports.map((found) => ({ ...found, rule: brokenRule(found.file, found) }));
    expect(broken.filter(({ rule }) => rule !== null)).toEqual([]);
  });

  it.each([
    ['imports lead down', 'app/server/errors/redirects.ts', 'app/server/rendering/page-data.ts'],
    ['a page is imported by no other file', 'app/pages/home/home.tsx', 'app/pages/privacy/cookies.ts'],
    ['the browser gets no server code', 'app/pages/home/run-it.tsx', 'app/server/errors/redirects.ts'],
    ['the site imports libraries only', 'app/server/site.ts', 'tools/setup/setup.mjs'],
    ['the site imports libraries only', 'app/server/site.ts', 'packages/upstream/src/retry.ts'],
    ['a package or tool imports what the table names', 'packages/local-cloud/src/start.ts', 'app/pages.ts'],
    ['every package and tool is in the table', 'packages/new/main.ts', 'app/pages.ts'],
    ['only tests import tests', 'app/pages.ts', 'tools/aws/tests/env.test.ts'],
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
  it('names every package and tool, and nothing that does not exist', () => {
    const folders = ['packages', 'tools'].flatMap((parent) =>
      readdirSync(parent, { withFileTypes: true }).map((entry) =>
        entry.isDirectory() ? `${parent}/${entry.name}` : `${parent}/*`,
      ),
    );
    expect([...packages.keys()].sort()).toEqual([...new Set(folders)].sort());
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
    ['packages/local-cloud', 'packages/local-cloud/src/start.ts'],
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
