import { describe, expect, it } from 'vitest';
import { openRawSocket, parseStatuses } from '../../../tests/support/http/raw-socket.ts';
import { rulesAt } from '../../../tests/support/http/server-rules.ts';
import { serveSteps } from '../../../tests/support/http/step-server.ts';
import {
  createRequestFilter,
  type FilteredRequest,
  filterRequest,
  MAX_HEADERS,
  MAX_PATH_LENGTH,
  MAX_QUERY_LENGTH,
} from '../src/request-filter.ts';

const ORIGIN = 'https://site.example';

type Sent = Partial<Pick<FilteredRequest, 'method' | 'target' | 'authority'>> & {
  headers?: Record<string, string>;
};

function filter({ method = 'GET', target = '/', headers = {}, authority = null }: Sent, origin = ORIGIN) {
  const sent: Record<string, string> = { host: 'site.example', ...headers };
  const [path = ''] = target.split('?');
  const reader = { get: (name: string) => sent[name] ?? null };
  return filterRequest({ method, target, path, headers: reader, authority }, rulesAt(origin));
}

/** The status of the rejection, or `accepted`. */
const statusOf = (request: Sent) => filter(request)?.status ?? 'accepted';

const sameOrigin = { 'sec-fetch-site': 'same-origin' };

describe('the request filter', () => {
  it.each([
    '/',
    '/ar/test-message?x=/../%00',
    '/a%20b',
    '/a..b',
    '/test-message.data?_routes=x',
    '/fr?x_data=1&y=_data=1',
    '/__manifest',
    '/__manifest/x?p=/a/b/c/d/e/f/g/h/i/j',
    '/a//b',
  ])('accepts the path %s', (target) => {
    expect(statusOf({ target })).toBe('accepted');
  });

  it.each([
    '',
    'https://site.example/',
    '/a#?p=',
    '/a\\b',
    '/a/./b',
    '/a/..',
    '/%2E%2E/b',
    '/a%0ab',
    '/a%7f',
    '/%c0%af',
    '//evil.example/x',
    'a/b',
  ])('rejects the ambiguous path %s', (target) => {
    expect(statusOf({ target })).toBe(400);
  });

  it('accepts paths of 1024 characters, and rejects longer ones', () => {
    expect(statusOf({ target: `/${'a'.repeat(MAX_PATH_LENGTH - 1)}?${'q'.repeat(5000)}` })).toBe('accepted');
    const tooLong = filter({ target: `/${'a'.repeat(MAX_PATH_LENGTH)}` });
    expect(tooLong).toEqual({ status: 414, code: 'PathTooLong' });
  });

  it('accepts its host in any case', () => {
    expect(statusOf({ headers: { host: 'Site.Example' } })).toBe('accepted');
  });

  it.each([
    ['https://site.example', 'site.example:443', null],
    ['http://site.example', 'site.example:80', null],
    ['http://site.example', 'site.example:443', 421],
    ['https://site.example', 'site.example:80', 421],
    ['http://localhost:3000', 'localhost:3000:80', 421],
    ['http://localhost:3000', 'localhost', 421],
  ])('treats the default port of %s as the same address: %s', (origin, host, status) => {
    expect(filter({ headers: { host } }, origin)?.status ?? null).toBe(status);
  });

  it.each([
    ['site.example', 'site.example', 'accepted'],
    ['SITE.example:443', 'evil.example', 'accepted'],
    ['evil.example', 'site.example', 421],
    ['user@site.example', 'site.example', 421],
    ['', 'site.example', 421],
    ['site.example', 'site.example, site.example', 421],
  ])('takes the host “%s” of the target instead of the header’s, %s', (authority, host, verdict) => {
    expect(statusOf({ authority, headers: { host } })).toBe(verdict);
  });

  it('says which methods it accepts to OPTIONS for the whole server, and to nothing else', () => {
    const allow = 'GET, HEAD, POST';
    expect(filter({ method: 'OPTIONS', target: '*' })).toMatchObject({ status: 405, headers: { allow } });
    expect(statusOf({ target: '*' })).toBe(400);
  });

  it.each(['', 'site.example:8443', 'site.example, site.example'])('rejects the host “%s”', (host) => {
    expect(statusOf({ headers: { host } })).toBe(421);
  });

  it('rejects a request without a host', () => {
    const request = { method: 'GET', target: '/', path: '/', headers: { get: () => null } };
    expect(filterRequest(request, rulesAt(ORIGIN))).toEqual({ status: 400, code: 'NoHost' });
  });

  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, 'accepted'],
    [{ 'sec-fetch-site': 'same-origin', origin: ORIGIN }, 'accepted'],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, 'accepted'],
    [{ 'sec-fetch-site': 'same-site', origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'none', origin: 'null' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: ORIGIN }, 'accepted'],
    [{ 'sec-fetch-site': 'same-site', origin: ORIGIN }, 403],
    [{ 'sec-fetch-site': 'cross-site', origin: ORIGIN }, 403],
    [{ 'sec-fetch-site': '', origin: ORIGIN }, 403],
    [{ 'sec-fetch-site': 'same-origin, cross-site' }, 403],
    [{ origin: 'http://site.example' }, 403],
    [{ referer: `${ORIGIN}/` }, 403],
  ])('returns the right status for a POST with %o', (headers, verdict) => {
    expect(statusOf({ method: 'POST', headers: { ...headers } })).toBe(verdict);
  });

  it('rejects HEAD requests for data, not for documents', () => {
    expect(filter({ method: 'HEAD', target: '/fr.data?_routes=root' })).toEqual({
      status: 405,
      code: 'MethodNotAllowed',
      headers: { allow: 'GET, POST' },
    });
    expect(statusOf({ method: 'HEAD', target: '/fr.database' })).toBe('accepted');
  });

  // threat-model: T-092
  it.each([
    [{ target: '//' }, { status: 400, code: 'BadPath' }],
    [{ headers: { host: 'evil.example' } }, { status: 421, code: 'WrongHost' }],
    [
      { method: 'PUT', headers: sameOrigin },
      { status: 405, code: 'MethodNotAllowed', headers: { allow: 'GET, HEAD, POST' } },
    ],
    [{ target: '/?_data=root' }, { status: 400, code: 'BadQuery' }],
    [{ target: '/fr?a=b&_data=' }, { status: 400, code: 'BadQuery' }],
    [{ target: '/fr?%5Fdata=root' }, { status: 400, code: 'BadQuery' }],
    [{ target: `/__manifest?p=${'a'.repeat(2048)}` }, { status: 400, code: 'BadQuery' }],
    [
      { method: 'POST', headers: { ...sameOrigin, 'content-length': '1048577' } },
      { status: 413, code: 'BodyTooLarge', message: 'The body may have at most 1048576 bytes.' },
    ],
    [{ method: 'POST' }, { status: 403, code: 'ForeignOrigin' }],
  ])('says why it rejects a request: %o', (request, rejection) => {
    expect(filter(request)).toEqual(rejection);
  });

  it('accepts bodies of 1 MiB', () => {
    const headers = { ...sameOrigin, 'content-length': '1048576' };
    expect(statusOf({ method: 'POST', headers })).toBe('accepted');
  });

  it.each([
    ['a long path before a bad one', { target: `//${'a'.repeat(2000)}`, method: 'PUT' }, 414],
    ['a bad path before a wrong host', { target: '//', headers: { host: 'x' } }, 400],
    ['a wrong host before a method', { method: 'PUT', headers: { host: 'x' } }, 421],
    ['a method before a query', { method: 'PUT', target: '/?_data=root' }, 405],
    ['a body before its origin', { method: 'POST', headers: { 'content-length': '9999999' } }, 413],
  ])('looks at %s', (_what, request: Sent, status) => {
    expect(statusOf(request)).toBe(status);
  });

  // threat-model: T-055
  it('accepts a route discovery of all pages at once, and rejects larger ones', () => {
    const pages = Array.from({ length: 30 }, (_, index) => `&p=%2Fl${index}%2Ftypography-demo`).join('');
    expect(statusOf({ target: `/__manifest?version=0123abcd${pages}` })).toBe('accepted');
    for (const flood of [`&p=${'%2fa'.repeat(9)}`, '&p'.repeat(300)]) {
      expect(statusOf({ target: `/__manifest?version=0123abcd${flood}` })).toBe(400);
    }
  });

  it.each([
    ['2048 characters', '?p='.padEnd(2048 - '/__manifest'.length, 'a')],
    ['paths of eight segments', `?p=${'/a'.repeat(8)}&p=${'%2Fa'.repeat(8)}`],
    // The path of the discovery itself counts as two segments.
    ['256 segments', `?${Array.from({ length: 127 }, () => 'p=/a').join('&')}`],
  ])('accepts a route discovery with %s and not with one more', (_what, query) => {
    expect(statusOf({ target: `/__manifest${query}` })).toBe('accepted');
    expect(statusOf({ target: `/__manifest${query.replace('p=', 'p=/')}` })).toBe(400);
  });
});

// threat-model: T-095
it('a request with more than 100 headers is rejected, and one with 100 is not', async () => {
  const codes: string[] = [];
  const server = await serveSteps((appOrigin) => [
    createRequestFilter({
      rules: rulesAt(appOrigin),
      reject: (_exchange, { status, code }) => {
        codes.push(code);
        return { status, headers: {} };
      },
    }),
  ]);
  const statusOfHeaders = async (count: number) => {
    const wire = await openRawSocket(server.origin);
    const { host } = new URL(server.origin);
    wire.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${'a: b\r\n'.repeat(count - 2)}\r\n`);
    return parseStatuses(await wire.readUntilClosed())[0];
  };
  expect([await statusOfHeaders(MAX_HEADERS), await statusOfHeaders(MAX_HEADERS + 1)]).toEqual([404, 431]);
  expect([MAX_HEADERS, codes]).toEqual([100, ['TooManyHeaders']]);
  server.close();
});

// threat-model: T-092
it('a query has at most 8,704 characters, whatever the length of the path', () => {
  expect(MAX_QUERY_LENGTH).toBe(8704);
  const withQuery = (length: number) => ({ target: `/${'a'.repeat(500)}?${'x'.repeat(length - 1)}` });
  expect(statusOf(withQuery(8704))).toBe('accepted');
  expect(filter(withQuery(8705))).toEqual({ status: 414, code: 'QueryTooLong' });
});

// threat-model: T-092
it('a query has at most 100 parameters', () => {
  expect(statusOf({ target: `/?index${'&index'.repeat(99)}` })).toBe('accepted');
  expect(statusOf({ target: `/?index${'&index'.repeat(100)}` })).toBe(400);
});
