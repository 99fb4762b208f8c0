import { describe, expect, it } from 'vitest';
import { isAcceptedLicense } from '../licenses/accepted-licenses.ts';
import { licenseFile } from '../licenses/license-file.ts';
import { readPackageLicense } from '../licenses/package-license.ts';
import { contentFolders, packageFolders } from '../licenses/shipped-packages.ts';

describe('the packages of a bundle', () => {
  it.each([
    ['/home/site/node_modules/react/index.js', 'node_modules/react'],
    ['\0/home/site/node_modules/react/index.js?commonjs-module', 'node_modules/react'],
    ['/home/site/node_modules/@iconify/utils/lib/a.mjs?v=1', 'node_modules/@iconify/utils'],
    ['/home/site/node_modules/a/node_modules/@b/c/d.js', 'node_modules/a/node_modules/@b/c'],
    ['../x/node_modules/cookie/dist/node_modules.js', 'node_modules/cookie'],
    ['\0vite/preload-helper.js', 'node_modules/vite'],
    ['\0commonjsHelpers.js', 'node_modules/vite'],
    ['\0virtual:remix/server-build', 'node_modules/@remix-run/dev'],
  ])('have the folder of the module %j', (module, folder) => {
    expect(packageFolders([module])).toEqual([folder]);
  });

  it('are joined by those of fonts, icons and styles', () => {
    expect(contentFolders()).toEqual(
      expect.arrayContaining([
        'node_modules/@fontsource-variable/dm-sans',
        'node_modules/@iconify-json/lucide',
        'node_modules/tailwindcss',
      ]),
    );
  });
});

describe('the license of a package', () => {
  it('is the text of its own file', () => {
    expect(readPackageLicense('node_modules/react')).toMatchObject({ name: 'react', license: 'MIT' });
    expect(readPackageLicense('node_modules/react').text).toMatch(/^MIT License\n\nCopyright \(c\) /);
  });

  it.each([
    ['saxes', 'Copyright (c) Louis-Dominique Dubeau <ldd@lddubeau.com>', 'Permission to use, copy, modify'],
    ['@iconify-json/lucide', 'Copyright (c) Lucide Contributors', 'Permission to use, copy, modify'],
    ['@redis/client', 'Copyright (c) the authors of @redis/client', 'Permission is hereby granted'],
    ['@web3-storage/multipart-parser', 'Copyright (c) vasco-santos', 'Apache License'],
  ])('is a notice and the standard text if %s has no file', (name, notice, beginning) => {
    const { text } = readPackageLicense(`node_modules/${name}`);
    expect(text.slice(0, notice.length)).toBe(notice);
    expect(text).toContain(`\n\n${beginning}`.trimStart());
  });
});

it.each([
  ['MIT', true],
  ['(Unlicense OR Apache-2.0)', true],
  ['(Apache-2.0 AND MIT)', true],
  ['GPL-3.0-only', false],
  ['(MIT OR GPL-3.0-only)', false],
  ['SEE LICENSE IN LICENSE', false],
  ['UNLICENSED', false],
  ['', false],
])('the license %j is accepted: %s', (license, expected) => {
  expect(isAcceptedLicense(license)).toBe(expected);
});

it('the file with all licenses starts with that of the site and has each text once', () => {
  const mit = { version: '1.0.0', license: 'MIT', text: 'The text' };
  const file = licenseFile('Site', 'Own text\n', [
    { ...mit, name: 'a' },
    { ...mit, name: 'b', text: 'Another text' },
    { ...mit, name: 'c' },
  ]);
  expect(file).toMatch(/^Site\n\nOwn text\n\n-{80}\n/);
  expect(file).toContain('a 1.0.0 (MIT)\nc 1.0.0 (MIT)\n\nThe text\n');
  expect(file.match(/The text/g)).toHaveLength(1);
  expect(file).toMatch(/b 1\.0\.0 \(MIT\)\n\nAnother text\n$/);
});
