/** The files that a resource route writes for crawlers, browsers and security researchers. */
import { describe, expect, it, vi } from 'vitest';
import { defaultLocale, locales, localizePath } from '../../../app/i18n/locales.ts';
import { hasParameters, pathOf } from '../../../app/i18n/localized-page.ts';
import { isForMembers, pages } from '../../../app/pages.ts';
import { loader as robots } from '../../../app/resources/robots.ts';
import { loader as securityTxt } from '../../../app/resources/security-txt.ts';
import { loader as sitemap } from '../../../app/resources/sitemap.ts';
import { loader as webManifest } from '../../../app/resources/web-manifest.ts';
import { resourceRequest, SITE_ORIGIN } from '../../support/http/resource-context.ts';
import { isOfPlainPage } from '../../support/localized-pages.ts';

/** The site with two more pages, for signed-in visitors only and for a group. */
vi.mock(import('../../../app/pages.ts'), async (original) => {
  const { pages, ...others } = await original();
  const [first] = pages;
  const members = first
    ? ([
        { ...first, slug: 'members', middleware: ['signed-in'] },
        { ...first, slug: 'administration', middleware: ['in-group:admins'] },
      ] as const)
    : [];
  return { ...others, pages: [...pages, ...members] };
});

const PUBLIC = 'public, max-age=3600';
const headersOf = ({ headers }: Response) => [headers.get('content-type'), headers.get('cache-control')];

it('robots.txt keeps crawlers away from sign-in addresses and APIs, and names the sitemap', async () => {
  const response = robots(await resourceRequest('/robots.txt'));
  expect(headersOf(response)).toEqual(['text/plain; charset=utf-8', PUBLIC]);
  expect((await response.text()).split('\n')).toEqual([
    'User-agent: *',
    'Disallow: /auth/',
    'Disallow: /api/',
    '',
    `Sitemap: ${SITE_ORIGIN}/sitemap.xml`,
    '',
  ]);
});

describe('security.txt', () => {
  const read = async (variables: Record<string, string>) =>
    securityTxt(await resourceRequest('/.well-known/security.txt', {}, variables));
  const contact = { SECURITY_CONTACT: 'security@site.example' };

  it('names the contact, until a day in half a year, and its own address', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12), toFake: ['Date'] });
    const response = await read(contact);
    vi.useRealTimers();
    expect(headersOf(response)).toEqual(['text/plain; charset=utf-8', PUBLIC]);
    expect((await response.text()).split('\n')).toEqual([
      'Contact: mailto:security@site.example',
      'Expires: 2026-06-30T00:00:00.000Z',
      'Preferred-Languages: en',
      `Canonical: ${SITE_ORIGIN}/.well-known/security.txt`,
      '',
    ]);
  });

  it('has no address of its own on plain HTTP', async () => {
    const response = await read({ ...contact, APP_ORIGIN: 'http://localhost:3000' });
    expect((await response.text()).split('\n').slice(2)).toEqual(['Preferred-Languages: en', '']);
  });

  it('does not exist without a contact', async () => {
    const response = await read({});
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'NotFound' });
  });
});

describe('the sitemap', () => {
  const read = async () => {
    vi.stubEnv('BUILT_AT', '2026-01-02T03:04:05.000Z');
    const response = await sitemap(await resourceRequest('/sitemap.xml'));
    expect(headersOf(response)).toEqual(['application/xml; charset=utf-8', PUBLIC]);
    return response.text();
  };
  const all = (xml: string, pattern: RegExp) => [...xml.matchAll(pattern)].map(([, value]) => value);

  it('has each page for everyone in each language once, with the time of the build', async () => {
    const xml = await read();
    const plain = pages.filter((page) => !hasParameters(page));
    const open = plain.filter((page) => !isForMembers(page));
    expect(open.length).toBeLessThan(plain.length);
    expect(all(xml, /<loc>([^<]*)<\/loc>/g).filter((address = '') => isOfPlainPage(address))).toEqual(
      open.flatMap((page) => locales.map((locale) => SITE_ORIGIN + pathOf(page, locale))),
    );
    expect(new Set(all(xml, /<lastmod>([^<]*)<\/lastmod>/g))).toEqual(new Set(['2026-01-02T03:04:05.000Z']));
  });

  it('has the address of a page in all languages as its alternates, and English for all others', async () => {
    const [, entry = ''] = (await read()).split('</url>');
    const alternates = [...entry.matchAll(/rel="alternate" hreflang="([^"]*)" href="([^"]*)"\/>\n/g)];
    expect(alternates.map(([, language, address]) => [language, address])).toEqual([
      ...locales.map((locale) => [locale.iso, SITE_ORIGIN + localizePath('/', locale)]),
      ['x-default', SITE_ORIGIN + localizePath('/', defaultLocale)],
    ]);
  });
});

it('the web manifest describes the site with its icons', async () => {
  const response = webManifest();
  expect(headersOf(response)).toEqual(['application/manifest+json; charset=utf-8', PUBLIC]);
  expect(await response.json()).toMatchObject({
    id: '/',
    start_url: '/',
    scope: '/',
    display: 'browser',
    icons: [
      { src: '/favicon.svg', type: 'image/svg+xml', sizes: 'any' },
      { src: '/icon-192.png', type: 'image/png', sizes: '192x192' },
      { src: '/icon-512.png', type: 'image/png', sizes: '512x512' },
      { src: '/icon-maskable-512.png', type: 'image/png', sizes: '512x512', purpose: 'maskable' },
    ],
  });
});
