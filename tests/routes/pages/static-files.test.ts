/** Files of the build: only those for browsers can be requested. */
import { describe, expect, it } from 'vitest';
import { forThisSite } from '../../support/this-site.ts';
import { filesUnder, textOf } from '../support/built-files.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const stack = setUpStack();

// threat-model: T-062
it('source maps are neither part of the build nor referenced in any file, in any content coding', () => {
  const client = filesUnder('build/client');
  const files = [...client, ...filesUnder('build/server')];
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => /\.map(\.|$)/.test(file))).toEqual([]);
  expect(client.filter((file) => /[#@]\s*source(?:Mapping)?URL=/i.test(textOf(file)))).toEqual([]);
});

describe('files that are not for browsers', () => {
  // threat-model: T-062
  it.each([
    ...['/.env', '/.git/config', '/package.json', '/server.ts', '/app/server/config/env.ts'],
    ...['/build/server/server.js', '/build/client/favicon.ico', '/node_modules/react/package.json'],
    ...['/.local-cloud/state.json', '/.vite/manifest.json', '/assets/.vite/manifest.json'],
    ...['/assets', '/assets/', '/locales/fr/', '/build/kept/builds', '/.well-known/security.txt'],
    ...['/%2eenv', '/.%65nv', '/.env.data', '/.git/config/_payload.json'],
  ])('return 404: %s', async (path) => {
    const { status, headers, body } = await stack.get(path);
    const target = status === 301 ? (headers.location ?? '') : path;
    expect((await stack.get(target)).status, path).toBe(404);
    expect(body).not.toMatch(/"dependencies"|SESSION_SECRETS|\[core\]|ref: refs|compilerOptions/);
  });

  // threat-model: T-062
  it.each(
    forThisSite([
      ...['/assets/../package.json', '/assets/%2e%2e%2f%2e%2e%2f%2e%2e%2fpackage.json'],
      ...['/assets/..%5c..%5cpackage.json', '/assets/....//....//package.json', '/assets//etc/passwd'],
      ...['/assets/%00/etc/passwd', '/locales/fr/..%252f..%252fcommon.json', '/%2fetc%2fpasswd'],
      ...['/..;/package.json', '/file:///etc/passwd'],
      ...['/builds/meta/..%2f..%2f..%2fpackage.json', '/api/icons/..%2f..%2fpackage.json?icons=a'],
    ]),
  )('cannot be reached through another path: %s', async (path) => {
    const { status, body } = await stack.get(path);
    expect([400, 404], path).toContain(status);
    expect(body).not.toMatch(/"dependencies"|root:x:0/);
  });
});
