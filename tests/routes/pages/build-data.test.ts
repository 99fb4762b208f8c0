import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Locale, locales } from '../../../app/i18n/locales.ts';
import type { RawResponse } from '../../support/http/raw-request.ts';
import { localizedPages, openLocalizedPages } from '../../support/localized-pages.ts';
import { startStack } from '../../support/processes/stack.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const ASSETS = 'build/client/assets';
const BUILDS_DIRECTORY = 'test-results/kept-static-data';

beforeAll(() => rmSync(BUILDS_DIRECTORY, { recursive: true, force: true }));
const stack = setUpStack({ environment: { BUILDS_DIRECTORY } });
const { get } = stack;
let build: { id: string; timestamp: number };
beforeAll(async () => {
  build = JSON.parse((await get('/builds/latest.json')).body);
});

/** The translations as they were written. */
function readTranslations({ code }: Locale, namespace: string) {
  return JSON.parse(readFileSync(`public/locales/${code}/${namespace}.json`, 'utf8'));
}

/** The routes that the build has for Remix, by id. */
function remixRoutes(): Record<string, { path?: string }> {
  const [file = ''] = readdirSync(ASSETS).filter((name) => /^manifest-.*\.js$/.test(name));
  const [, json = ''] =
    /^window\.__remixManifest=(.*);$/s.exec(readFileSync(join(ASSETS, file), 'utf8')) ?? [];
  return JSON.parse(json).routes;
}

/** Expects JSON that does not depend on a session: it sets no cookie and does not vary by cookies. */
function expectStatic(response: RawResponse, type = 'application/json; charset=utf-8'): void {
  expect(response.headers['content-type']).toBe(type);
  expect(response.headers['set-cookie']).toBeUndefined();
  expect(response.headers.vary ?? '').not.toMatch(/cookie/i);
  expect(response.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
}

describe('the latest build', () => {
  it('has an id and the time of its build, and is not cached', async () => {
    const response = await get(`/builds/latest.json?${Date.now()}`);
    expectStatic(response);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(JSON.parse(response.body)).toEqual(build);
    expect(build.id).toMatch(/^[0-9a-f]{8}$/);
    expect(build.timestamp).toBeGreaterThan(Date.parse('2026-01-01'));
    expect(build.timestamp).toBeLessThan(Date.now());
  });

  it('has the id that every document contains', async () => {
    for (const { path } of openLocalizedPages) {
      expect((await get(path, { 'accept-language': 'en' })).body, path).toContain(
        `<meta name="build-id" content="${build.id}"`,
      );
    }
  });

  it('keeps its time when the site starts again', async () => {
    const again = await startStack({ environment: { BUILDS_DIRECTORY } });
    const latest = await fetch(`${again.site.origin}/builds/latest.json`);
    expect(await latest.json()).toEqual(build);
    await again.stop();
  });
});

describe('the build manifest', () => {
  it('has the rules of the routes of all pages and is immutable', async () => {
    const response = await get(`/builds/meta/${build.id}.json`);
    expectStatic(response);
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const manifest = JSON.parse(response.body);
    expect(manifest).toMatchObject(build);
    const ofPages = Object.entries(remixRoutes()).filter(([id]) => id.includes('___'));
    expect(ofPages.length).toBeGreaterThan(1);
    expect(
      Object.fromEntries(manifest.routes.map(({ id, path }: { id: string; path: string }) => [id, path])),
    ).toEqual(Object.fromEntries(ofPages.map(([id, { path = '' }]) => [id, `/${path}`])));
    expect(manifest.routes.find(({ id }: { id: string }) => id === 'index___en')).toEqual({
      id: 'index___en',
      path: '/',
      page: 'index',
      locale: 'en',
      layout: 'default',
      forcedTheme: null,
      middleware: [],
    });
  });

  it.each(['00000000', '__proto__'])('returns 404 for the build “%s”', async (id) => {
    const response = await get(`/builds/meta/${encodeURIComponent(id)}.json`);
    expect(response.status).toBe(404);
    expectStatic(response, 'application/problem+json');
    expect(response.headers['cache-control']).toBe('no-store');
    expect(JSON.parse(response.body)).toMatchObject({
      code: 'UnknownBuild',
      requestId: response.headers['x-request-id'],
    });
  });
});

it.each(localizedPages)(
  'the payload of $path has its translations and head, and is immutable with the id of its build',
  async ({ page, locale, path }) => {
    const address = `${path.replace(/\/$/, '')}/_payload.json?${build.id}`;
    const response = await get(address, { cookie: 'session=forged; theme=dark' });
    expect(response.status).toBe(200);
    expectStatic(response);
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const { allLocales: _others, ...own } = readTranslations(locale, page.namespace);
    const payload = JSON.parse(response.body);
    expect(payload).toMatchObject({
      buildId: build.id,
      translations: { common: readTranslations(locale, 'common'), [page.namespace]: own },
    });
    expect(Object.keys(payload.translations)).toHaveLength(2);
    expect(payload.head.title).toBe(own.title);
    expect(payload.head.description).toBe(own.description);
  },
);

it('a payload is not cached with another query or without one', async () => {
  for (const query of ['', '?', '?00000000', `?${build.id}&x`, `?x=${build.id}`]) {
    expect((await get(`/_payload.json${query}`)).headers['cache-control'], query).toBe('no-store');
  }
});

const hasTextsOfAllLanguages = ({ page, locale }: (typeof localizedPages)[number]) =>
  'allLocales' in readTranslations(locale, page.namespace);

it.each(localizedPages.filter(hasTextsOfAllLanguages))(
  'the payload of $path has the texts of all languages that the page shows',
  async ({ page, path }) => {
    const { body } = await get(`${path.replace(/\/$/, '')}/_payload.json`);
    const { allLocales } = JSON.parse(body).translations[page.namespace];
    for (const locale of locales) {
      expect(allLocales[locale.code]).toEqual(readTranslations(locale, page.namespace).allLocales);
    }
  },
);

describe('static data', () => {
  it('rejects POST with 405', async () => {
    for (const path of ['/builds/latest.json', '/_payload.json']) {
      const sameOrigin = { 'sec-fetch-site': 'same-origin' };
      const { status, headers } = await stack.send({ method: 'POST', path, headers: sameOrigin });
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
      expect((await stack.send({ method: 'HEAD', path })).status).toBe(200);
    }
  });

  it.each(['/en/_payload.json', '/FR/_payload.json', '/nowhere/_payload.json', '/builds/meta.json'])(
    'returns 404 at %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it('is not in loader data', async () => {
    const { body } = await get('/fr/test-message.data?_routes=root%2Ctest-message___fr');
    expect(body).toContain('languageOffer');
    expect(body).not.toContain('skipLink');
  });
});

describe('assets', () => {
  it('of this build are stored for the next build', async () => {
    const own = readdirSync(ASSETS).sort();
    expect(readdirSync(join(BUILDS_DIRECTORY, 'assets')).sort()).toEqual(own);
  });
});
