import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locales, localizePath } from '../../../app/i18n/locales.ts';
import { pages } from '../../../app/pages.ts';
import { type RawResponse, sendRaw } from '../../support/http/raw-request.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';

const KEPT = 'test-results/kept-static-data';

let stack: Stack;
let build: { id: string; timestamp: number };

beforeAll(async () => {
  rmSync(KEPT, { recursive: true, force: true });
  stack = await startStack({ environment: { BUILDS_DIRECTORY: KEPT } });
  build = JSON.parse((await get('/builds/latest.json')).body);
}, 30_000);
afterAll(() => stack.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  sendRaw(stack.site.origin, { path, headers });

const paths = pages.flatMap((page) =>
  locales.map((locale) => ({ page, locale, path: localizePath(`/${page.slug}`, locale) })),
);

/** JSON that no session has a part in: no cookie, and nothing that caches would keep apart by one. */
function expectStatic(response: RawResponse): void {
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['set-cookie']).toBeUndefined();
  expect(response.headers.vary ?? '').not.toMatch(/cookie/i);
  expect(response.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
}

describe('the latest build', () => {
  it('has an id and the time at which it was built, and is never cached', async () => {
    const response = await get(`/builds/latest.json?${Date.now()}`);
    expectStatic(response);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(JSON.parse(response.body)).toEqual(build);
    expect(build.id).toMatch(/^[0-9a-f]{8}$/);
    expect(build.timestamp).toBeGreaterThan(Date.parse('2026-01-01'));
    expect(build.timestamp).toBeLessThan(Date.now());
  });

  it('is the build of every document', async () => {
    for (const { path } of paths) {
      expect((await get(path, { 'accept-language': 'en' })).body, path).toContain(
        `<meta name="build-id" content="${build.id}"/>`,
      );
    }
  });

  it('says when it was built, however often it is started', async () => {
    const again = await startStack({ environment: { BUILDS_DIRECTORY: KEPT } });
    const { body } = await sendRaw(again.site.origin, { path: '/builds/latest.json' });
    await again.stop();
    expect(JSON.parse(body)).toEqual(build);
  });
});

describe('the build manifest', () => {
  it('has the rules of all routes and is kept for good', async () => {
    const response = await get(`/builds/meta/${build.id}.json`);
    expectStatic(response);
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const manifest = JSON.parse(response.body);
    expect(manifest).toMatchObject(build);
    expect(manifest.routes.map(({ path }: { path: string }) => path)).toEqual(paths.map(({ path }) => path));
    expect(manifest.routes[4]).toEqual({
      id: 'index___ar',
      path: '/ar',
      page: 'index',
      locale: 'ar',
      layout: 'default',
      forcedTheme: null,
      middleware: [],
    });
  });

  it.each(['00000000', '..%2flatest', '__proto__', ' '])('of build %s is not known', async (id) => {
    const response = await get(`/builds/meta/${encodeURIComponent(id)}.json`);
    expect(response.status).toBe(404);
    expectStatic(response);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(JSON.parse(response.body)).toEqual({
      errors: [{ errorType: 'UnknownBuild' }],
      requestId: response.headers['x-request-id'],
    });
  });
});

describe.each(paths)('the payload of $path', ({ page, locale, path }) => {
  const address = `${path.replace(/\/$/, '')}/_payload.json`;

  it('holds the page’s words and head and is kept for good by its build’s name', async () => {
    const response = await get(`${address}?${build.id}`, { cookie: '__Host-session=forged; theme=dark' });
    expect(response.status).toBe(200);
    expectStatic(response);
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const read = (namespace: string, code = locale.code) =>
      JSON.parse(readFileSync(`build/client/locales/${code}/${namespace}.json`, 'utf8'));
    const own = read(page.namespace);
    if (own.allLocales !== undefined) {
      const ofLocale = locales.map(({ code }) => [code, read(page.namespace, code).allLocales]);
      own.allLocales = Object.fromEntries(ofLocale);
    }
    const payload = JSON.parse(response.body);
    expect(payload).toMatchObject({
      buildId: build.id,
      translations: { common: read('common'), [page.namespace]: own },
    });
    expect(Object.keys(payload.translations)).toHaveLength(2);
    expect(payload.head.title).toBe(page.name === 'index' ? null : own.title);
    expect(payload.head.description).toBe(own.description);
  });

  it('is not kept by another build’s name, or by none', async () => {
    for (const query of ['', '?', '?00000000', `?${build.id}&x`, `?x=${build.id}`]) {
      expect((await get(address + query)).headers['cache-control'], query).toBe('no-store');
    }
  });
});

describe('static data', () => {
  it('can only be read', async () => {
    for (const path of ['/builds/latest.json', '/_payload.json']) {
      const response = await sendRaw(stack.site.origin, {
        method: 'POST',
        path,
        headers: { 'sec-fetch-site': 'same-origin' },
      });
      expect(response.status).toBe(405);
      expect(response.headers.allow).toBe('GET, HEAD');
      expect((await sendRaw(stack.site.origin, { method: 'HEAD', path })).status).toBe(200);
    }
  });

  it.each(['/en/_payload.json', '/FR/_payload.json', '/nowhere/_payload.json', '/builds/meta.json'])(
    'is not at %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it('leaves the words out of what a script is sent by a loader', async () => {
    const read = async (headers: Record<string, string>) =>
      (await get('/fr/test-message.data?_routes=root%2Ctest-message___fr', headers)).body;
    expect(await read({ 'sec-fetch-dest': 'empty' })).not.toContain('skipLink');
    expect(await read({}), 'who does not say what for may want the document').toContain('skipLink');
  });
});

describe('assets', () => {
  it('of this build are kept for the next one', async () => {
    const own = readdirSync('build/client/assets').sort();
    expect(readdirSync(join(KEPT, 'assets')).sort()).toEqual(own);
  });
});
