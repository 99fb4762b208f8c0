/** Files of the build: only those for browsers can be requested. */
import { readdirSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawResponse, sendRaw } from '../../support/http/raw-request.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { forThisSite } from '../../support/this-site.ts';

const CLIENT = 'build/client';
const agent = new Agent({ keepAlive: true });
let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
}, 60_000);
afterAll(async () => {
  agent.destroy();
  await stack.stop();
});

const get = (path: string): Promise<RawResponse> => sendRaw(stack.site.origin, { path }, agent);

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function textOf(file: string): string {
  const bytes = readFileSync(file);
  if (file.endsWith('.br')) return brotliDecompressSync(bytes).toString('latin1');
  if (file.endsWith('.gz')) return gunzipSync(bytes).toString('latin1');
  return bytes.toString('latin1');
}

describe('source maps', () => {
  // threat-model: T-062
  it('are not part of the build', () => {
    const files = [...filesUnder(CLIENT), ...filesUnder('build/server')];
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => /\.map(\.|$)/.test(file))).toEqual([]);
  });

  // threat-model: T-062
  it('are not referenced in any file, in any content coding', () => {
    const named = filesUnder(CLIENT).filter((file) => /[#@]\s*source(?:Mapping)?URL=/i.test(textOf(file)));
    expect(named).toEqual([]);
  });
});

describe('files that are not for browsers', () => {
  // threat-model: T-062
  it.each([
    ...['/.env', '/.env.example', '/.git/config', '/package.json', '/vite.config.ts', '/README.md'],
    ...['/server.ts', '/build/server/server.js', '/build/client/favicon.ico', '/server/server.js'],
    ...['/app/server/config/env.ts', '/node_modules/react/package.json', '/.local-cloud/state.json'],
    ...['/.vite/manifest.json', '/assets/.vite/manifest.json', '/manifest.json', '/assets/manifest.json'],
    ...['/assets', '/assets/', '/locales', '/locales/', '/locales/fr/', '/build', '/build/kept/builds'],
    ...['/.well-known/security.txt', '/metrics', '/debug', '/assets/package.json', '/%2eenv', '/.%65nv'],
    ...['/package.json.data', '/.env.data', '/.git/config/_payload.json'],
  ])('return 404: %s', async (path) => {
    const { status, headers, body } = await get(path);
    const target = status === 301 ? (headers.location ?? '') : path;
    expect((await get(target)).status, path).toBe(404);
    expect(body).not.toMatch(/"dependencies"|SESSION_SECRETS|\[core\]|ref: refs|compilerOptions/);
  });

  // threat-model: T-062
  it.each(
    forThisSite([
      '/assets/../package.json',
      '/assets/..%2fpackage.json',
      '/assets/%2e%2e/package.json',
      '/assets/%2e%2e%2f%2e%2e%2f%2e%2e%2fpackage.json',
      '/assets/..%5c..%5cpackage.json',
      '/assets/....//....//package.json',
      '/assets//etc/passwd',
      '/assets/%00/etc/passwd',
      '/locales/..%2f..%2f..%2fpackage.json',
      '/locales/fr/..%252f..%252fcommon.json',
      '/%2fetc%2fpasswd',
      '/..;/package.json',
      '/builds/meta/..%2f..%2f..%2fpackage.json',
      '/api/icons/..%2f..%2fpackage.json?icons=a',
      '/file:///etc/passwd',
    ]),
  )('cannot be reached through another path: %s', async (path) => {
    const { status, body } = await get(path);
    expect([400, 404], path).toContain(status);
    expect(body).not.toMatch(/"dependencies"|root:x:0/);
  });
});
