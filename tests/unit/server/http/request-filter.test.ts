import { describe, expect, it } from 'vitest';
import {
  type FilteredRequest,
  filterRequest,
  MAX_PATH_LENGTH,
} from '../../../../app/server/http/request-filter.ts';

const ORIGIN = 'https://site.example';

/** The status of the rejection, or `accepted`. */
function statusOf({
  headers = {},
  ...request
}: Partial<Omit<FilteredRequest, 'headers'>> & { headers?: Record<string, string> }) {
  const sent: Record<string, string> = { host: 'site.example', ...headers };
  const whole = {
    method: 'GET',
    target: '/',
    headers: { get: (name: string) => sent[name] ?? null },
    ...request,
  };
  return filterRequest(whole, ORIGIN)?.status ?? 'accepted';
}

describe('the request filter', () => {
  it.each([
    '/',
    '/ar/test-message?x=/../%00',
    '/a%20b',
    '/%F0%9F%8E%88',
    '/a..b',
    '/test-message.data?_routes=x',
  ])('accepts the path %s', (target) => {
    expect(statusOf({ target })).toBe('accepted');
  });

  it.each([
    '',
    '*',
    'x',
    'https://site.example/',
    '/#a',
    '/a#?p=',
    '/a\\b',
    '/a/./b',
    '/%2E%2E/b',
    '/a%0ab',
    '/a%7f',
    '/%c0%af',
  ])('rejects the ambiguous path %s', (target) => {
    expect(statusOf({ target })).toBe(400);
  });

  it('accepts paths of 1024 characters, and rejects longer ones', () => {
    expect(statusOf({ target: `/${'a'.repeat(MAX_PATH_LENGTH - 1)}?${'q'.repeat(5000)}` })).toBe('accepted');
    expect(statusOf({ target: `/${'a'.repeat(MAX_PATH_LENGTH)}` })).toBe(414);
    expect(statusOf({ target: '/a'.repeat(16_000) })).toBe(414);
  });

  it.each([['Site.Example'], ['SITE.EXAMPLE']])('accepts the host %s', (host) => {
    expect(statusOf({ headers: { host } })).toBe('accepted');
  });

  it.each([
    '',
    'evil.example',
    'site.example:8443',
    'site.example.',
    'site.example, site.example',
    'x@site.example',
  ])('rejects the host “%s”', (host) => {
    expect(statusOf({ headers: { host } })).toBe(421);
  });

  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, 'accepted'],
    [{ 'sec-fetch-site': 'same-origin', origin: ORIGIN }, 'accepted'],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'same-origin', origin: 'none' }, 403],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, 403],
    [{ origin: ORIGIN }, 'accepted'],
    [{ 'sec-fetch-site': 'none', origin: ORIGIN }, 403],
    [{ 'sec-fetch-site': 'same-site', origin: ORIGIN }, 403],
    [{ 'sec-fetch-site': 'cross-site', origin: ORIGIN }, 403],
    [{ 'sec-fetch-site': '', origin: ORIGIN }, 403],
    [{ 'sec-fetch-site': 'same-origin, cross-site' }, 403],
    [{ origin: `${ORIGIN}/` }, 403],
    [{ origin: 'http://site.example' }, 403],
    [{ referer: `${ORIGIN}/` }, 403],
    [{}, 403],
  ])('returns the right status for a POST with %o', (headers, verdict) => {
    expect(statusOf({ method: 'POST', headers: { ...headers } })).toBe(verdict);
  });

  it('rejects HEAD requests for data, not for documents', () => {
    expect(statusOf({ method: 'HEAD', target: '/fr.data?_routes=root' })).toBe(405);
    expect(statusOf({ method: 'HEAD', target: '/fr' })).toBe('accepted');
  });

  // threat-model: T-055
  it('accepts a route discovery of all pages at once, and rejects larger ones', () => {
    const pages = Array.from({ length: 30 }, (_, index) => `&p=%2Fl${index}%2Ftypography-demo`).join('');
    expect(statusOf({ target: `/__manifest?version=0123abcd${pages}` })).toBe('accepted');
    for (const flood of [
      '&p=%2Fa'.repeat(200),
      `&p=${'/a'.repeat(300)}`,
      `&p=${'/a'.repeat(9)}`,
      `&p=${'%2Fa'.repeat(9)}`,
      `&p=${'%2fa'.repeat(300)}`,
      '&p'.repeat(300),
    ]) {
      expect(statusOf({ target: `/__manifest?version=0123abcd${flood}` })).toBe(400);
    }
    expect(statusOf({ target: `/__manifest?p=${'a'.repeat(3000)}` })).toBe(400);
  });
});
