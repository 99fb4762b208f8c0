import { describe, expect, it } from 'vitest';
import { defaultLocale, localizePath } from '../../../../app/i18n/locales.ts';
import { pageNamed, pages as sitePages } from '../../../../app/pages.ts';
import {
  createCacheablePages,
  createPageCacheKeys,
} from '../../../../app/server/page-cache/page-cache-key.ts';
import { forThisSite, other, otherHome } from '../../../support/this-site.ts';

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

  const item = { ...home, slug: 'items/:id' };
  const edit = { ...home, slug: 'items/:id/edit' };
  const members = { ...home, slug: 'members', middleware: ['signed-in'] } as const;

  it('are those of the site in every language', () => {
    const cacheable = createCacheablePages(sitePages);
    const lasting = { seconds: Number.POSITIVE_INFINITY, isOneOfMany: false };
    expect(cacheable.get('/')).toEqual({ routeId: `index___${defaultLocale.code}`, ...lasting });
    expect(cacheable.get(otherHome)).toEqual({ routeId: `index___${other.code}`, ...lasting });
    expect(createCacheablePages([]).get('/')).toBeUndefined();
  });

  it('are none with middleware, whose response may differ between visitors', () => {
    const admins = { ...home, slug: 'admins', middleware: ['in-group:admins'] } as const;
    const open = { ...home, slug: 'open', middleware: [] };
    const memberItem = { ...item, middleware: ['signed-in'], cacheSeconds: 60 } as const;
    const cacheable = createCacheablePages([home, members, admins, open, memberItem]);
    const found = ['/', '/members', '/admins', '/open', '/items/7'].map(
      (path) => cacheable.get(path) !== undefined,
    );
    expect(found).toEqual([true, false, false, true, false]);
  });

  it('are with parameters only those that say for how long, and others for as long as they say', () => {
    const secondsAt = (path: string, cacheSeconds?: number) => {
      const said = cacheSeconds === undefined ? {} : { cacheSeconds };
      return createCacheablePages([{ ...home, ...said }, { ...item, ...said }, edit]).get(path)?.seconds;
    };
    expect([secondsAt('/items/7'), secondsAt('/items/7', 60), secondsAt('/items/7', 0)]).toEqual([
      undefined,
      60,
      undefined,
    ]);
    expect([secondsAt('/', 60), secondsAt('/', 0)]).toEqual([60, undefined]);
    expect(secondsAt('/items/7/edit', 60)).toBeUndefined();
  });

  it('have with parameters one path each, as links spell it', () => {
    const cacheable = createCacheablePages([{ ...item, cacheSeconds: 60 }]);
    const isFound = (path: string) => cacheable.get(path)?.isOneOfMany ?? false;
    const [own, others] = [
      ['/items/7', '/items/a%2Fb', '/items/%C3%BC', '/items/x%2Edata'],
      [
        '/items',
        '/items/',
        '/items/7/',
        '//items/7',
        '/items//7',
        '/items/%37',
        '/items/%c3%bc',
        '/items/a%252Fb',
      ],
    ];
    expect(own.filter((path) => !isFound(path) || !isFound(localizePath(path, other)))).toEqual([]);
    expect([...others, `/${other.code}//items/7`].filter(isFound)).toEqual([]);
  });
});
