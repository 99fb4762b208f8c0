import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStaticFiles } from '../../../../app/server/http/static-files.ts';
import { type StepServer, serveSteps } from '../../../support/http/step-server.ts';

let root: string;
let server: StepServer;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'static-files-'));
  for (const folder of ['client', 'kept']) mkdirSync(join(root, folder, 'assets'), { recursive: true });
  writeWithCopies('kept/assets/chunk-1.js');
  const directories = {
    clientDirectory: join(root, 'client'),
    env: { builds: { directory: join(root, 'kept') } },
  };
  server = await serveSteps(() => [createStaticFiles(directories)]);
});
afterEach(() => {
  server.close();
  rmSync(root, { recursive: true });
});

function writeWithCopies(path: string): void {
  const text = `/* ${path} */`.repeat(10);
  writeFileSync(join(root, path), text);
  writeFileSync(join(root, `${path}.br`), brotliCompressSync(text));
  writeFileSync(join(root, `${path}.gz`), gzipSync(text));
}

const get = (path: string, coding = 'identity') =>
  server.get(path, { headers: { 'accept-encoding': coding } });

describe('an asset of an earlier build', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('is immutable and sent with the coding %s', async (coding, encoding) => {
    const { status, headers } = await get('/assets/chunk-1.js', coding);
    expect(status).toBe(200);
    expect(headers.get('content-encoding')).toBe(encoding);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it.each(['br', 'identity'])(
    'that another machine has removed is a 404 that is not cached: %s',
    async (coding) => {
      for (const copy of ['', '.br', '.gz']) rmSync(join(root, `kept/assets/chunk-1.js${copy}`));
      const response = await get('/assets/chunk-1.js', coding);
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(response.headers.get('content-encoding')).toBeNull();
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      expect(await response.text()).toBe('Not found\n');
    },
  );

  it('that another machine adds later is found, without its compressed copies', async () => {
    writeWithCopies('kept/assets/chunk-2.js');
    const { status, headers } = await get('/assets/chunk-2.js', 'br');
    expect([status, headers.get('content-encoding')]).toEqual([200, null]);
  });
});
