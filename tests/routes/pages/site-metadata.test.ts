import { SaxesParser } from 'saxes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { siteName } from '~/site-name.ts';
import { canvasColors } from '../../../app/brand/colors.ts';
import { sendRaw } from '../../support/http/raw-request.ts';
import { openLocalizedPages } from '../../support/localized-pages.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { examplePath, other } from '../../support/this-site.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ environment: { ICON_API_HOSTS: 'none' } });
});
afterAll(() => stack.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  sendRaw(stack.site.origin, { path, headers });

type Entry = { loc: string; lastmod: string; alternates: Map<string, string> };

/** Returns the entries of a sitemap. Throws when it is not well-formed. */
function readSitemap(xml: string): Entry[] {
  const entries: Entry[] = [];
  let text = '';
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    text = '';
    if (local === 'url') entries.push({ loc: '', lastmod: '', alternates: new Map() });
    if (local === 'link' && uri === 'http://www.w3.org/1999/xhtml') {
      expect(attributes.rel?.value).toBe('alternate');
      entries.at(-1)?.alternates.set(attributes.hreflang?.value ?? '', attributes.href?.value ?? '');
    }
  });
  parser.on('text', (part) => {
    text += part;
  });
  parser.on('closetag', ({ local }) => {
    const entry = entries.at(-1);
    if (entry && (local === 'loc' || local === 'lastmod')) entry[local] = text;
  });
  parser.write(xml).close();
  return entries;
}

describe('the sitemap', () => {
  it('lists every page that anyone may open at the configured origin, each once', async () => {
    const response = await get('/sitemap.xml');
    expect(response.headers['content-type']).toBe('application/xml; charset=utf-8');
    const addresses = readSitemap(response.body).map(({ loc }) => loc);
    expect(addresses).toEqual([...new Set(addresses)]);
    expect(addresses.filter((address) => !address.startsWith(`${stack.site.origin}/`))).toEqual([]);
    for (const { path } of openLocalizedPages) {
      const address = stack.site.origin + path;
      expect(addresses).toContain(address);
      const page = await get(path, { 'sec-fetch-dest': 'empty' });
      expect(page.status, address).toBe(200);
      expect(page.body, address).toContain(`rel="canonical" href="${address}"`);
    }
  });

  it('lists the same alternates as the head of the page', async () => {
    const entries = readSitemap((await get('/sitemap.xml')).body);
    const { loc, alternates } = entries.find((entry) => entry.loc.endsWith(examplePath(other))) ?? {};
    const page = await get(new URL(loc ?? '').pathname);
    const links = [...page.body.matchAll(/<link rel="alternate" hrefLang="([^"]+)" href="([^"]+)"/gi)];
    expect(new Map(links.map(([, tag = '', href = '']) => [tag, href]))).toEqual(alternates);
  });

  it('dates the pages with the time of the build', async () => {
    const dates = new Set(readSitemap((await get('/sitemap.xml')).body).map(({ lastmod }) => lastmod));
    expect(dates.size).toBe(1);
    const age = Date.now() - Date.parse([...dates][0] ?? '');
    expect(age).toBeGreaterThan(0);
    expect(age).toBeLessThan(365 * 24 * 60 * 60 * 1000);
  });
});

describe('the web manifest', () => {
  it('has the name and the colors of the site, and icons of the stated sizes', async () => {
    const response = await get('/manifest.webmanifest');
    expect(response.headers['content-type']).toBe('application/manifest+json; charset=utf-8');
    const manifest = JSON.parse(response.body);
    expect(manifest).toMatchObject({
      name: siteName,
      short_name: siteName,
      start_url: '/',
      lang: 'en-US',
      dir: 'ltr',
      theme_color: canvasColors.light,
      background_color: canvasColors.light,
    });
    expect(manifest.icons.map(({ purpose }: { purpose?: string }) => purpose ?? 'any')).toContain('maskable');
    for (const { src, sizes, type } of manifest.icons) {
      const icon = await fetch(stack.site.origin + src);
      expect([icon.status, icon.headers.get('content-type')?.split(';')[0]], src).toEqual([200, type]);
      const bytes = Buffer.from(await icon.arrayBuffer());
      if (type === 'image/png') expect(pngSize(bytes), src).toBe(sizes);
    }
  });
});

describe('the site’s icons', () => {
  it('are linked in the head, with the manifest', async () => {
    const { body } = await get('/ar');
    const links = [...body.matchAll(/<link rel="(icon|apple-touch-icon|manifest)" href="([^"]+)"([^>]*)>/g)];
    expect(links.map(([, rel, href]) => `${rel} ${href}`)).toEqual([
      'icon /favicon.ico',
      'icon /favicon.svg',
      'apple-touch-icon /apple-touch-icon.png',
      'manifest /manifest.webmanifest',
    ]);
  });

  it.each([
    ['/apple-touch-icon.png', 'image/png', '180x180'],
    ['/favicon.ico', 'image/vnd.microsoft.icon', '32x32'],
  ])('%s exists with its size and is cached for one hour', async (path, type, size) => {
    const response = await fetch(stack.site.origin + path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(pngSize(path.endsWith('.ico') ? bytes.subarray(bytes.readUInt32LE(18)) : bytes)).toBe(size);
  });

  it.each(['system', 'light', 'dark'])(
    'are accompanied by the theme color of “%s” for the user interface of the browser',
    async (theme) => {
      const { body } = await get('/typography-demo', { cookie: `theme=${theme}` });
      const metas = [
        ...body.matchAll(
          /<meta name="theme-color"(?: media="\(prefers-color-scheme: (\w+)\)")? content="([^"]+)"/g,
        ),
      ];
      const expected = {
        system: [
          ['light', canvasColors.light],
          ['dark', canvasColors.dark],
        ],
        light: [[undefined, canvasColors.light]],
        dark: [[undefined, canvasColors.dark]],
      }[theme];
      expect(metas.map(([, media, colour]) => [media, colour])).toEqual(expected);
    },
  );
});

describe('the icon API', () => {
  it('returns a public response that does not depend on cookies', async () => {
    const response = await get('/api/icons/lucide.json?icons=globe', { cookie: 'theme=dark' });
    expect(response.status).toBe(200);
    expect(response.headers['cache-control']).toMatch(/^public, max-age=604800/);
    expect(response.headers['set-cookie']).toBeUndefined();
    expect(response.headers['content-security-policy']).toContain("default-src 'none'");
    expect(JSON.parse(response.body).icons.globe.body).toContain('<circle');
    const etag = response.headers.etag ?? '';
    expect((await get('/api/icons/lucide.json?icons=globe', { 'if-none-match': etag })).status).toBe(304);
  });

  it.each([
    ['/api/icons/lucide.json', 400],
    ['/api/icons/mdi.json?icons=home', 404],
    ['/api/icons/a/b.json?icons=a', 404],
  ])('rejects %s with %i', async (path, status) => {
    const response = await get(path);
    expect(response.status).toBe(status);
    expect(response.headers['cache-control']).toContain('no-store');
    expect(response.body).not.toContain(process.cwd());
  });

  it('is not requested by a page, whose icons are in the document', async () => {
    const { body } = await get('/ar');
    expect(body.match(/<svg/g)?.length).toBeGreaterThan(10);
    expect(body).not.toContain('/api/icons');
  });
});

describe('public files without a session', () => {
  const paths = [
    '/sitemap.xml',
    '/robots.txt',
    '/manifest.webmanifest',
    '/api/icons/lucide.json?icons=globe',
  ];

  it.each(paths)('%s is public and rejects POST', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers['cache-control']).toMatch(/^public, max-age=\d+/);
    expect(response.headers['x-content-type-options']).toBe('nosniff');
    const head = await sendRaw(stack.site.origin, { path, method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, '']);
    const posted = await sendRaw(stack.site.origin, {
      path,
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

/** Returns the size in the header chunk of a PNG. */
function pngSize(png: Buffer): string {
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
}
