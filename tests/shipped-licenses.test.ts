/** The licenses of the packages whose code, fonts, icons or styles the build contains. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isAcceptedLicense } from '../tools/build/licenses/accepted-licenses.ts';
import { contentFolders } from '../tools/build/licenses/shipped-packages.ts';
import { packagesImportedBy, sourceFilesIn } from './architecture/import-graph.ts';
import { libraries } from './architecture/layers.ts';

const listed = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  in: z.array(z.string()),
});

const INFO = 'build/build-info.json';
const packages = existsSync(INFO)
  ? z.object({ packages: z.array(listed) }).parse(JSON.parse(readFileSync(INFO, 'utf8'))).packages
  : [];
/** `vite` is the helper that loads the style sheets of a chunk. */
const inBrowser = [
  '@remix-run/react',
  '@remix-run/router',
  '@remix-run/server-runtime',
  'i18next',
  'react',
  'react-dom',
  'react-i18next',
  'react-router',
  'react-router-dom',
  'scheduler',
  'turbo-stream',
  'vite',
];

/** Whether the package draws icons by name, which a site may have on no page. */
const isForIcons = (name: string) => name.startsWith('@iconify/');

const namesIn = (part: string) => packages.filter((each) => each.in.includes(part)).map(({ name }) => name);

describe('the packages in the build', () => {
  it('are those that the code of the site imports, and more', () => {
    expect(packages.length, 'npm run build comes first').toBeGreaterThan(50);
    const own = [
      ...sourceFilesIn('app'),
      ...libraries.flatMap((name) => sourceFilesIn(`packages/${name}/src`)),
    ];
    const imported = new Set([...own, 'server.ts'].flatMap(packagesImportedBy));
    expect(imported.size).toBeGreaterThan(20);
    const names = packages.map(({ name }) => name);
    // The alias of package.json appears under the name of its package, and the libraries are the site's own.
    const isExpected = (name: string) =>
      name !== '@aws-sdk/signature-v4' && !name.startsWith('@tenfold/') && !isForIcons(name);
    expect([...imported].filter((name) => !names.includes(name) && isExpected(name))).toEqual([]);
  });

  it('in the browser are these', () => {
    const found = namesIn('client').filter((name) => !isForIcons(name));
    expect(found.sort(), 'add a package here if browsers need it').toEqual(inBrowser);
  });

  it('include those of all fonts, icons and styles', () => {
    const folders = namesIn('content').map((name) => `node_modules/${name}`);
    expect(folders.sort()).toEqual(contentFolders());
  });

  it('have licenses that allow the distribution of a build', () => {
    expect(packages.filter(({ license }) => !isAcceptedLicense(license))).toEqual([]);
  });

  it('are in the file for visitors with the text of each license', () => {
    const [own = '', , ...sections] = readFileSync('build/client/licenses.txt', 'utf8').split(
      `\n\n${'-'.repeat(80)}\n\n`,
    );
    expect(own).toContain(readFileSync('LICENSE', 'utf8').trim());
    const lines = sections.flatMap((section) => section.split('\n\n', 1)[0]?.split('\n') ?? []);
    expect(lines.sort()).toEqual(
      packages.map(({ name, version, license }) => `${name} ${version} (${license})`).sort(),
    );
    expect(sections.filter((section) => section.length < 500)).toEqual([]);
  });
});
