import { describe, expect, it } from 'vitest';
import { judgeRequest } from '../../../../app/server/http/request-filter.ts';
import { describeAsked } from '../../../../app/server/observability/request-log.ts';
import { anonymousPage, createAnonymousVisits } from '../../../../app/server/page-cache/page-cache-key.ts';

const appOrigin = 'https://site.example';
const pages = new Map(
  ['/', '/fr', '/ar/test-message'].map((path) => [path, anonymousPage(`route of ${path}`, path)]),
);
const visitOf = createAnonymousVisits({ appOrigin, session: { secure: true } }, pages);
const ask = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  visitOf({ method, url, rawHeaders: [], headers: { host: 'site.example', ...headers } });

describe('a visit that memory can answer', () => {
  it.each([
    ['/fr', {}, { theme: 'system', isFirst: false }],
    ['/fr', { cookie: 'theme=dark' }, { theme: 'dark', isFirst: false }],
    ['/fr', { cookie: 'theme=pink; locale=xx; _other=1' }, { theme: 'system', isFirst: false }],
    ['/fr', { cookie: 'theme=light; theme=dark' }, { theme: 'light', isFirst: false }],
    ['/fr', { cookie: '__Host-guest=x; __Host-oauth.a=b' }, { theme: 'system', isFirst: false }],
    ['/fr', { 'sec-fetch-dest': 'document', host: 'SITE.example' }, { theme: 'system', isFirst: false }],
    ['/', {}, { theme: 'system', isFirst: true }],
    ['/', { 'accept-language': 'en-GB, fr;q=0.5' }, { theme: 'system', isFirst: true }],
    ['/', { 'accept-language': 'it' }, { theme: 'system', isFirst: true }],
    ['/', { cookie: 'locale=en', 'accept-language': 'fr' }, { theme: 'system', isFirst: false }],
    ['/', { cookie: 'locale=fr', 'sec-fetch-site': 'same-origin' }, { theme: 'system', isFirst: false }],
  ])('%s with %j', (url, headers, visit) => {
    for (const method of ['GET', 'HEAD']) {
      const asked = describeAsked(`route of ${url}`, method, url);
      expect(ask(url, headers, method)).toEqual({ asked, ...visit });
    }
  });
});

describe('what is for others to answer', () => {
  it.each([
    ['another method', '/fr', {}, 'POST'],
    ['an unknown method', '/fr', {}, 'TRACE'],
    ['another page', '/de', {}, 'GET'],
    ['a query', '/fr?x', {}, 'GET'],
    ['an empty query', '/fr?', {}, 'GET'],
    ['another writing of the path', '/%66r', {}, 'GET'],
    ['an absolute target', 'https://site.example/fr', {}, 'GET'],
    ['another host', '/fr', { host: 'evil.example' }, 'GET'],
    ['a port more', '/fr', { host: 'site.example:443' }, 'GET'],
    ['a body', '/fr', { 'content-length': '1' }, 'GET'],
    ['a chunked body', '/fr', { 'transfer-encoding': 'chunked' }, 'GET'],
    ['a script that fetches', '/fr', { 'sec-fetch-dest': 'empty' }, 'GET'],
    ['a session', '/fr', { cookie: 'theme=dark; __Host-session=x' }, 'GET'],
    ['a leftover of a session', '/fr', { cookie: '__Host-session.3=x' }, 'GET'],
    ['a notice', '/fr', { cookie: '__Host-notice=x' }, 'GET'],
    ['the outcome of a form', '/ar/test-message', { cookie: '__Host-outcome=x' }, 'GET'],
    ['a visitor who reads French', '/', { cookie: 'locale=fr' }, 'GET'],
    ['a browser that prefers Arabic', '/', { 'accept-language': 'ar, en;q=0.9' }, 'GET'],
  ])('%s', (_what, url, headers, method) => {
    expect(ask(url, headers, method)).toBeNull();
  });

  it('knows the cookies by their names without Secure too', () => {
    const plain = createAnonymousVisits({ appOrigin, session: { secure: false } }, pages);
    const headers = (cookie: string) => ({ host: 'site.example', cookie });
    expect(plain({ method: 'GET', url: '/fr', rawHeaders: [], headers: headers('session=x') })).toBeNull();
    expect(plain({ method: 'GET', url: '/fr', rawHeaders: [], headers: headers('theme=dark') })?.theme).toBe(
      'dark',
    );
  });
});

describe('the gate', () => {
  const wires = ['GET', 'HEAD', 'POST', 'TRACE', 'OPTIONS'].flatMap((method) =>
    ['/', '/fr', '/fr?_data=root', '//fr', '/fr/..', '/%00'].flatMap((url) =>
      ['site.example', 'SITE.EXAMPLE', 'evil.example', 'site.example:80', ''].flatMap((host) =>
        [{}, { 'content-length': '99999999' }].map((more) => ({
          method,
          url,
          rawHeaders: [],
          headers: { host, ...more },
        })),
      ),
    ),
  );

  it('lets through whatever memory answers', () => {
    const answered = wires.filter((wire) => visitOf(wire));
    expect(answered.length).toBeGreaterThan(4);
    for (const { method, url, headers } of answered) {
      const header = (name: string) => new Map(Object.entries(headers)).get(name) ?? null;
      expect(judgeRequest({ method, target: url, header }, appOrigin)).toBeNull();
    }
  });
});
