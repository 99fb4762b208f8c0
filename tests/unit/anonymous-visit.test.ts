import { describe, expect, it } from 'vitest';
import { createAnonymousVisits } from '../../app/server/anonymous-visit.server.ts';
import { judgeRequest } from '../../app/server/request-gate.server.ts';

const appOrigin = 'https://site.example';
const visitOf = createAnonymousVisits(
  { appOrigin, session: { secure: true } },
  new Set(['/', '/fr', '/ar/test-message']),
);
const ask = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  visitOf({ method, url, rawHeaders: [], headers: { host: 'site.example', ...headers } });

describe('a visit that memory can answer', () => {
  it.each([
    ['/fr', {}, { path: '/fr', theme: 'system', isFirst: false }],
    ['/fr', { cookie: 'theme=dark' }, { path: '/fr', theme: 'dark', isFirst: false }],
    ['/fr', { cookie: 'theme=pink; locale=xx; _other=1' }, { path: '/fr', theme: 'system', isFirst: false }],
    ['/fr', { cookie: 'theme=light; theme=dark' }, { path: '/fr', theme: 'light', isFirst: false }],
    ['/fr', { cookie: '__Host-guest=x; __Host-oauth.a=b' }, { path: '/fr', theme: 'system', isFirst: false }],
    [
      '/fr',
      { 'sec-fetch-dest': 'document', host: 'SITE.example' },
      { path: '/fr', theme: 'system', isFirst: false },
    ],
    ['/', {}, { path: '/', theme: 'system', isFirst: true }],
    ['/', { 'accept-language': 'en-GB, fr;q=0.5' }, { path: '/', theme: 'system', isFirst: true }],
    ['/', { 'accept-language': 'it' }, { path: '/', theme: 'system', isFirst: true }],
    ['/', { cookie: 'locale=en', 'accept-language': 'fr' }, { path: '/', theme: 'system', isFirst: false }],
    [
      '/',
      { cookie: 'locale=fr', 'sec-fetch-site': 'same-origin' },
      { path: '/', theme: 'system', isFirst: false },
    ],
  ])('%s with %j', (url, headers, visit) => {
    expect(ask(url, headers)).toEqual(visit);
    expect(ask(url, headers, 'HEAD')).toEqual(visit);
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
    const plain = createAnonymousVisits({ appOrigin, session: { secure: false } }, new Set(['/fr']));
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
