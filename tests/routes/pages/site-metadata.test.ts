import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { siteName } from '~/site-name.ts';
import { canvasColors } from '../../../app/brand/colors.ts';
import { isOfPlainPage, openLocalizedPages } from '../../support/localized-pages.ts';
import { examplePath, other } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const stack = setUpStack({
  environment: { ICON_API_HOSTS: 'none', SECURITY_CONTACT: 'security@example.com' },
});
const { get } = stack;

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
  it('lists every page that anyone may open by its canonical address, with the time of the build', async () => {
    const { body } = await get('/sitemap.xml');
    const entries = readSitemap(body).filter(({ loc }) => isOfPlainPage(loc));
    const expected = openLocalizedPages.map(({ path }) => stack.site.origin + path);
    expect(entries.map(({ loc }) => loc)).toEqual(expected);
    const [date = '', ...others] = new Set(entries.map(({ lastmod }) => lastmod));
    expect(others).toEqual([]);
    const age = Date.now() - Date.parse(date);
    expect(age).toBeGreaterThan(0);
    expect(age).toBeLessThan(365 * 24 * 60 * 60 * 1000);
    for (const address of expected) {
      const page = await get(new URL(address).pathname, { 'sec-fetch-dest': 'empty' });
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
});

describe('the web manifest', () => {
  it('has the name and the colors of the site, and icons of the stated sizes', async () => {
    const manifest = JSON.parse((await get('/manifest.webmanifest')).body);
    expect(manifest).toMatchObject({
      name: siteName,
      short_name: siteName,
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

  it.each([
    [
      'system',
      [
        ['light', canvasColors.light],
        ['dark', canvasColors.dark],
      ],
    ],
    ['dark', [[undefined, canvasColors.dark]]],
  ])('are accompanied by the color of the theme “%s” for the browser', async (theme, expected) => {
    const { body } = await get('/typography-demo', { cookie: `theme=${theme}` });
    const metas = body.matchAll(
      /<meta name="theme-color"(?: media="\(prefers-color-scheme: (\w+)\)")? content="([^"]+)"/g,
    );
    expect([...metas].map(([, media, color]) => [media, color])).toEqual(expected);
  });
});

it('the icons of a page are in the document, which does not request them', async () => {
  const { body } = await get('/ar');
  expect(body.match(/<svg/g)?.length).toBeGreaterThan(10);
  expect(body).not.toContain('/api/icons');
});

it.each([
  ['/sitemap.xml', 'application/xml'],
  ['/robots.txt', 'text/plain'],
  ['/.well-known/security.txt', 'text/plain'],
  ['/manifest.webmanifest', 'application/manifest+json'],
  ['/api/icons/lucide.json?icons=globe', 'application/json'],
])('%s is public and rejects POST', async (path, type) => {
  const { status, headers } = await get(path);
  expect([status, headers['content-type']]).toEqual([200, `${type}; charset=utf-8`]);
  expect(headers['cache-control']).toMatch(/^public, max-age=\d+/);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  const head = await stack.send({ path, method: 'HEAD' });
  expect([head.status, head.body]).toEqual([200, '']);
  const sameOrigin = { 'sec-fetch-site': 'same-origin' };
  const posted = await stack.send({ path, method: 'POST', headers: sameOrigin });
  expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
});

/** Returns the size in the header chunk of a PNG. */
function pngSize(png: Buffer): string {
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
}
