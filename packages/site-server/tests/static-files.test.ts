import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StepServer, serveSteps } from '../../../tests/support/http/step-server.ts';
import { createStaticFiles } from '../src/static-files.ts';

let root: string;
let server: StepServer;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'static-files-'));
  for (const folder of ['client', 'kept']) mkdirSync(join(root, folder, 'assets'), { recursive: true });
  writeWithCopies('kept/assets/chunk-1.js');
  server = await startServer();
});
afterEach(() => {
  server.close();
  rmSync(root, { recursive: true });
});

function startServer(clientDirectory: string | null = join(root, 'client')): Promise<StepServer> {
  const buildsDirectory = join(root, 'kept');
  return serveSteps(() => [createStaticFiles({ clientDirectory, buildsDirectory })]);
}

function writeWithCopies(path: string): void {
  const text = `/* ${path} */`.repeat(10);
  writeFileSync(join(root, path), text);
  writeFileSync(join(root, `${path}.br`), brotliCompressSync(text));
  writeFileSync(join(root, `${path}.gz`), gzipSync(text));
}

const NO_STEP = 'no step';
const NOT_FOUND = 'Not found\n';

it('without a client directory, as in development, every file is left to the next step', async () => {
  server.close();
  server = await startServer(null);
  expect(await (await get('/assets/chunk-1.js')).text()).toBe(NO_STEP);
});

/** Lists the directories again. */
async function restart() {
  server.close();
  server = await startServer();
}

const get = (path: string, coding = 'identity') =>
  server.get(path, { headers: { 'accept-encoding': coding } });

describe('an asset of an earlier build', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('is immutable and sent with the coding %s', async (coding, encoding) => {
    const response = await get('/assets/chunk-1.js', coding);
    const { status, headers } = response;
    expect(status).toBe(200);
    expect(headers.get('content-encoding')).toBe(encoding);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('vary')).toBe('Accept-Encoding');
    expect(await response.text()).toContain('/* kept/assets/chunk-1.js */');
  });

  it('that another machine has removed is a 404 that is not cached', async () => {
    for (const copy of ['', '.br', '.gz']) rmSync(join(root, `kept/assets/chunk-1.js${copy}`));
    const response = await get('/assets/chunk-1.js', 'br');
    const { status, headers } = response;
    expect([status, await response.text()]).toEqual([404, NOT_FOUND]);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('cache-control')).toBe('private, no-store');
  });

  it('that another machine adds later is found, without its compressed copies', async () => {
    writeWithCopies('kept/assets/chunk-2.js');
    const { status, headers } = await get('/assets/chunk-2.js', 'br');
    expect([status, headers.get('content-encoding'), headers.get('vary')]).toEqual([200, null, null]);
  });
});

describe('a file of the build', () => {
  it.each([
    ['/assets/a.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/icon.svg', 'image/svg+xml; charset=utf-8', 'public, max-age=3600'],
    ['/a.unknown-type', 'application/octet-stream', 'public, max-age=3600'],
  ])('%s has the type %s and is cached as %s', async (path, type, cacheControl) => {
    writeFileSync(join(root, 'client', path), 'text');
    await restart();
    const { status, headers } = await get(path);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      type,
      cacheControl,
    ]);
    expect((await server.get(path, { method: 'HEAD' })).status).toBe(200);
    expect(await (await server.get(path, { method: 'POST' })).text()).toBe(NO_STEP);
  });

  it.each(['/.hidden.txt', '/folder.d', '/without-extension'])(
    'is not %s, which the next step handles',
    async (path) => {
      for (const file of ['.hidden.txt', 'without-extension'])
        writeFileSync(join(root, 'client', file), 'text');
      mkdirSync(join(root, 'client/folder.d'));
      await restart();
      const response = await get(path);
      expect([await response.text(), response.redirected]).toEqual([NO_STEP, false]);
    },
  );

  it('is found where no earlier build was kept', async () => {
    rmSync(join(root, 'kept'), { recursive: true });
    writeFileSync(join(root, 'client/a.txt'), 'text');
    await restart();
    expect(await (await get('/a.txt')).text()).toBe('text');
    expect(await (await get('/assets/a.js')).text()).toBe(NOT_FOUND);
  });
});

it.each([
  ['/assets', NOT_FOUND],
  ['/assets/', NOT_FOUND],
  ['/assets/missing.js', NOT_FOUND],
  ['/assets/folder/a.js', NOT_FOUND],
  ['/assets/assets/a.js', NOT_FOUND],
  ['/x/assets/a.js', NO_STEP],
  ['/x.js', NO_STEP],
  ['/fr', NO_STEP],
])('at %s the response is “%s”', async (path, expected) => {
  for (const folder of ['folder', 'assets']) {
    mkdirSync(join(root, 'kept/assets', folder));
    writeFileSync(join(root, 'kept/assets', folder, 'a.js'), 'text');
  }
  await restart();
  expect(await (await get(path)).text()).toBe(expected);
});
