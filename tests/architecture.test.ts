import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { pages } from '~/pages.ts';

/** Modules at the top of app/ that pages and what they are made of share: words for things, no behaviour of the server. */
const shared = readdirSync('app')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `app/${file}`);

/** What each part may import of the project's own; a folder stands for all in it. Types are free: they vanish. */
const mayImport: Record<string, readonly string[]> = {
  'app/components': ['app/components', 'app/client', 'app/i18n', ...shared],
  'app/layouts': ['app/layouts', 'app/components', 'app/client', 'app/i18n', ...shared],
  'app/client': ['app/client', 'app/icon-loading', 'app/i18n', ...shared],
  'app/icon-loading': ['app/icon-loading'],
  'app/i18n': ['app/i18n', ...shared],
  'local-cloud': ['local-cloud'],
};

/** The layers of the server's side, lowest first: a module imports from its own layer and from lower ones. */
const layers: readonly (readonly string[])[] = [
  [
    'clock',
    'errors',
    'log',
    'amplify-outputs',
    'env',
    'env-values',
    'security-headers',
    'response-cookies',
    'request-gate',
  ],
  [
    'aws-error',
    'retry',
    'signing',
    'sealed-cookie',
    'chunked-cookie',
    'token-packing',
    'graphql-bounds',
    'trusted-documents',
    'graphql-guard',
    'return-to',
    'preferences',
    'messages',
    'request-body',
  ],
];

/** Everything these need is handed to them: no environment, no clock, no network. */
const pure = ['signing', 'sealed-cookie', 'request-gate', 'graphql-guard'];

const files = ['app', 'local-cloud'].flatMap(typescriptFiles).concat('server.ts');

describe('who may import whom', () => {
  it.each(Object.entries(mayImport))('%s imports only what it may', (folder, allowed) => {
    const found = files
      .filter((file) => file.startsWith(`${folder}/`))
      .flatMap((file) => ownImports(file).map((target) => ({ file, target })))
      .filter(({ target }) => !allowed.some((part) => target === part || target.startsWith(`${part}/`)));
    expect(found).toEqual([]);
  });

  it('nothing of the site knows the local cloud', () => {
    const found = files
      .filter((file) => !file.startsWith('local-cloud/'))
      .filter(
        (file) =>
          ownImports(file).some((target) => target.startsWith('local-cloud')) ||
          /local.?cloud/i.test(withoutComments(file)),
      );
    expect(found).toEqual([]);
  });

  it('the server’s modules depend downwards', () => {
    const found = layers.flatMap((layer, height) =>
      layer.flatMap((name) => {
        const lower = layers.slice(0, height + 1).flat();
        return ownImports(serverModule(name))
          .filter((target) => target.startsWith('app/server/'))
          .filter((target) => !lower.some((module) => target === serverModule(module)))
          .map((target) => `${name} -> ${target}`);
      }),
    );
    expect(found).toEqual([]);
  });

  it('only the door opens the backend: nothing below it imports the request context', () => {
    const below = files.filter(
      (file) =>
        file.startsWith('app/server/') &&
        !/(request-context|public-context|page-data|anonymous-pages)\.server\.ts$/.test(file),
    );
    expect(below.filter((file) => ownImports(file).includes(serverModule('request-context')))).toEqual([]);
  });

  it('only env reads the environment', () => {
    const readers = files
      .filter((file) => file.startsWith('app/') || file === 'server.ts')
      .filter((file) => /process\.env/.test(withoutComments(file)));
    expect(readers).toEqual([serverModule('env')]);
  });

  it.each(pure)('%s takes everything as arguments', (name) => {
    expect(withoutComments(serverModule(name))).not.toMatch(
      /process\.env|Date\.now|new Date\(\)|\bfetch\(|performance\./,
    );
  });
});

describe('how files are named and kept', () => {
  it('has no drawer without a subject', () => {
    expect(
      files.filter((file) =>
        /(^|\/)(utils?|lib|helpers?|misc|common|auth)(\/|\.tsx?$|\.server\.ts$)/.test(file),
      ),
    ).toEqual([]);
  });

  it('has no file of more than 260 lines', () => {
    expect(files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 261)).toEqual([]);
  });

  it('marks everything in app/server as the server’s own', () => {
    expect(
      files.filter((file) => file.startsWith('app/server/') && !/\.server\.ts$|\.generated\.ts$/.test(file)),
    ).toEqual([]);
  });

  it('writes directions logically, so that right-to-left needs no second style', () => {
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

describe('the browser’s bundle', () => {
  const assets = 'build/client/assets';

  it('holds nothing of app/server', () => {
    expect(existsSync(assets), 'npm run build comes first').toBe(true);
    const scripts = readdirSync(assets)
      .filter((file) => file.endsWith('.js'))
      .map((file) => readFileSync(join(assets, file), 'utf8'));
    expect(scripts.length).toBeGreaterThan(3);
    for (const marker of [
      'SESSION_SECRETS',
      'x-amz-target',
      'X-Amz-Target',
      'AWS4-HMAC-SHA256',
      'A256GCM',
      'AWSCognitoIdentity',
      'refresh_token',
    ]) {
      expect(
        scripts.some((script) => script.includes(marker)),
        marker,
      ).toBe(false);
    }
  });

  it('has the packages in a file that imports nothing of the site, and stays the same when that changes', () => {
    const packages = readdirSync(assets).filter((file) => /^packages-.*\.js$/.test(file));
    expect(packages).toHaveLength(1);
    for (const file of packages) {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(assets, file), 'utf8'));
      expect(importedFiles.map(({ fileName }) => fileName)).toEqual([]);
    }
  });

  it('comes without source maps', () => {
    expect(readdirSync(assets).filter((file) => file.endsWith('.map'))).toEqual([]);
  });

  it('has one chunk for each page, not one for each route', () => {
    for (const { namespace: page } of pages) {
      expect(
        readdirSync(assets).filter((file) => file.startsWith(`${page}-`) && file.endsWith('.js')),
        page,
      ).toHaveLength(1);
    }
  });
});

function serverModule(name: string): string {
  return `app/server/${name}.server.ts`;
}

/** The project's own modules that a file imports for their values, as paths from the root. */
function ownImports(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const typeOnly = new Set([...text.matchAll(/import type [^;]*? from '([^']+)'/g)].map((match) => match[1]));
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => !typeOnly.has(name) && (name.startsWith('.') || name.startsWith('~/')))
    .map((name) => (name.startsWith('~/') ? `app/${name.slice(2)}` : normalize(join(dirname(file), name))))
    .map((name) => name.replace(/\?.*$/, ''));
}

function withoutComments(file: string): string {
  return readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}

function typescriptFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .map((file) => join(folder, file));
}
