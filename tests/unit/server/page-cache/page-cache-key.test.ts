import { describe, expect, it } from 'vitest';
import { defaultLocale, locales } from '../../../../app/i18n/locales.ts';
import { pageNamed, pages as sitePages } from '../../../../app/pages.ts';
import {
  createPageCacheKeys,
  findCacheablePages,
  nameOfKey,
  pageKeyRules,
} from '../../../../app/server/page-cache/page-cache-key.ts';
import { themes } from '../../../../app/theme/theme.ts';
import { forThisSite, hasPage, other, otherHome } from '../../../support/this-site.ts';

const pages = new Map(['/', '/fr', '/ar/test-message'].map((path) => [path, `route of ${path}`]));
const keyOf = createPageCacheKeys({ secure: true }, pages);
const keyFor = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
  keyOf({ method, target, headers: { get: (name) => headers[name] ?? null } });

describe('the cache key of a request', () => {
  it.each(
    forThisSite([
      ['/fr', {}, 'system'],
      ['/fr', { cookie: 'theme=dark' }, 'dark'],
      ['/fr', { cookie: 'theme=pink; locale=xx; _other=1' }, 'system'],
      ['/fr', { cookie: 'theme=light; theme=dark' }, 'light'],
      ['/fr', { cookie: '__Host-guest=x; __Host-oauth.a=b' }, 'system'],
      ['/fr', { 'sec-fetch-dest': 'document' }, 'system'],
      ['/', { 'sec-fetch-site': 'same-origin' }, 'system'],
    ]),
  )('of %s with %j is its path and theme', (path, headers, theme) => {
    for (const method of ['GET', 'HEAD']) {
      expect(keyFor(path, headers, method)).toEqual({ path, theme, offer: null });
    }
  });

  it.each(
    forThisSite([
      ['/fr', { 'accept-language': 'ja' }, 'ja'],
      ['/fr', { 'accept-language': 'fr-CA, de' }, null],
      ['/fr', { 'accept-language': 'de', cookie: 'locale=fr' }, null],
      ['/fr', { 'accept-language': 'de', cookie: 'language-offer=dismissed' }, null],
      ['/', { 'sec-fetch-site': 'same-origin', cookie: 'locale=fr' }, 'fr'],
      ['/ar/test-message', { 'accept-language': 'ar-EG' }, null],
    ]),
  )('of %s with %j has the offered language %s', (path, headers: Record<string, string>, offer) => {
    expect(keyFor(path, headers)).toEqual({ path, theme: 'system', offer });
  });

  it.each(
    forThisSite([
      ['another method', '/fr', {}, 'POST'],
      ['another page', '/de', {}, 'GET'],
      ['a query', '/fr?x', {}, 'GET'],
      ['an empty query', '/fr?', {}, 'GET'],
      ['another spelling of the path', '/%66r', {}, 'GET'],
      ['an absolute target', 'https://site.example/fr', {}, 'GET'],
      ['a body', '/fr', { 'content-length': '1' }, 'GET'],
      ['a chunked body', '/fr', { 'transfer-encoding': 'chunked' }, 'GET'],
      ['a fetch by client-side code', '/fr', { 'sec-fetch-dest': 'empty' }, 'GET'],
      ['a session', '/fr', { cookie: 'theme=dark; __Host-session=x' }, 'GET'],
      ['a leftover chunk of a session', '/fr', { cookie: '__Host-session.3=x' }, 'GET'],
    ]),
  )('does not exist for %s', (_what, target, headers, method) => {
    expect(keyFor(target, headers, method)).toBeNull();
  });

  it('detects personal cookies without the prefix too', () => {
    const plain = createPageCacheKeys({ secure: false }, pages);
    const withCookie = (cookie: string) =>
      plain({
        method: 'GET',
        target: '/fr',
        headers: { get: (name) => (name === 'cookie' ? cookie : null) },
      });
    expect(withCookie('session=x')).toBeNull();
    expect(withCookie('theme=dark')?.theme).toBe('dark');
  });
});

describe('the pages that may be cached', () => {
  const home = pageNamed('index');

  it('are those of the site in every language', () => {
    const cacheable = findCacheablePages();
    expect(cacheable.get('/')).toBe(`index___${defaultLocale.code}`);
    expect(cacheable.get(otherHome)).toBe(`index___${other.code}`);
    expect(findCacheablePages([home]).size).toBe(locales.length);
  });

  it('are none with middleware, whose response may differ between visitors', () => {
    const members = { ...home, slug: 'members', middleware: ['signed-in'] } as const;
    const open = { ...home, slug: 'open', middleware: [] };
    const cacheable = findCacheablePages([home, members, open]);
    expect(['/', '/members', '/open'].map((path) => cacheable.has(path))).toEqual([true, false, true]);
  });
});

describe('the rules that configurations of caches are made from', () => {
  const keyOfPage = (path: string, headers: Record<string, string>) => {
    const keyOfSite = createPageCacheKeys({ secure: true }, findCacheablePages());
    return keyOfSite({ method: 'GET', target: path, headers: { get: (name) => headers[name] ?? null } });
  };

  it('have the paths of the pages with their languages', () => {
    const rules = pageKeyRules();
    const { length } = sitePages.filter(({ middleware = [] }) => middleware.length === 0);
    expect(rules.pages.size).toBe(length * locales.length);
    expect(rules.pages.get('/')).toBe(defaultLocale);
    expect(rules.pages.get(otherHome)).toBe(other);
  });

  it('name the themes and the languages of keys, and the cookies that state them', () => {
    const rules = pageKeyRules();
    for (const theme of rules.themes) {
      expect(keyOfPage('/', { cookie: `${rules.themeCookie}=${theme}` })?.theme).toBe(theme);
    }
    expect(rules.themes).toEqual(themes);
    expect(keyOfPage('/', {})?.theme).toBe(rules.defaultTheme);
    for (const code of rules.languages) {
      const headers = { cookie: `${rules.localeCookie}=${code}`, 'sec-fetch-site': 'same-origin' };
      expect(keyOfPage('/', headers)?.offer).toBe(code === defaultLocale.code ? null : code);
    }
    expect(rules.languages).toHaveLength(locales.length);
  });

  it('name the cookies with which there is no key, or no offer', () => {
    const { personalCookies, dismissedOffer } = pageKeyRules();
    const ofPages = hasPage('test-message') ? ['outcome'] : [];
    expect(personalCookies).toEqual(['session', 'notice', ...ofPages]);
    for (const name of personalCookies) {
      expect(keyOfPage('/', { cookie: `__Host-${name}=x` }), name).toBeNull();
    }
    const headers = {
      'accept-language': defaultLocale.code,
      cookie: `${dismissedOffer.cookie}=${dismissedOffer.value}`,
    };
    expect(keyOfPage(otherHome, headers)).toEqual({ path: otherHome, theme: 'system', offer: null });
  });
});

it('a cache names a key by its theme and its offer', () => {
  expect(nameOfKey({ theme: 'dark', offer: other.code })).toBe(`dark|${other.code}`);
  expect(nameOfKey({ theme: 'system', offer: null })).toBe('system|none');
});
