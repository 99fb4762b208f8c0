import { describe, expect, it } from 'vitest';
import { createPageCacheKeys } from '../../../../app/server/page-cache/page-cache-key.ts';
import { forThisSite } from '../../../support/this-site.ts';

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
      ['/', {}, 'system'],
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
      ['/fr', { 'accept-language': 'tlh, de-AT;q=0.9, fr;q=0.8' }, 'de'],
      ['/fr', { 'accept-language': 'fr-CA, de' }, null],
      ['/fr', { 'accept-language': 'it' }, null],
      ['/fr', { 'accept-language': '*' }, null],
      ['/fr', { 'accept-language': 'de;q=0' }, null],
      ['/fr', { 'accept-language': 'de', cookie: 'locale=fr' }, null],
      ['/fr', { 'accept-language': 'fr', cookie: 'locale=de' }, 'de'],
      ['/fr', { 'accept-language': 'de', cookie: 'locale=xx' }, 'de'],
      ['/fr', { 'accept-language': 'de', cookie: 'language-offer=dismissed' }, null],
      ['/fr', { 'accept-language': 'de', cookie: 'locale=hi; language-offer=dismissed' }, null],
      ['/fr', { 'accept-language': 'de', cookie: 'language-offer=x' }, 'de'],
      ['/', { 'sec-fetch-site': 'same-origin', cookie: 'locale=fr' }, 'fr'],
      ['/ar/test-message', { 'accept-language': 'ar-EG' }, null],
    ]),
  )('of %s with %j has the offered language %s', (path, headers: Record<string, string>, offer) => {
    expect(keyFor(path, headers)).toEqual({ path, theme: 'system', offer });
  });

  it.each(
    forThisSite([
      ['another method', '/fr', {}, 'POST'],
      ['an unknown method', '/fr', {}, 'TRACE'],
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
      ['a sign-in notice', '/fr', { cookie: '__Host-notice=x' }, 'GET'],
      ['the outcome of a form', '/ar/test-message', { cookie: '__Host-outcome=x' }, 'GET'],
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
