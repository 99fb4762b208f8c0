import { describe, expect, it } from 'vitest';
import {
  type GateRequest,
  judgeRequest,
  MAX_PATH_LENGTH,
} from '../../../../app/server/http/request-filter.ts';

const ORIGIN = 'https://site.example';

function judge({ headers = {}, ...request }: Partial<GateRequest> & { headers?: Record<string, string> }) {
  const given: Record<string, string> = { host: 'site.example', ...headers };
  const whole = { method: 'GET', target: '/', header: (name: string) => given[name] ?? null, ...request };
  return judgeRequest(whole, ORIGIN)?.status ?? 'in';
}

describe('the gate', () => {
  it.each([
    '/',
    '/ar/test-message?x=/../%00',
    '/a%20b',
    '/%F0%9F%8E%88',
    '/a..b',
    '/test-message.data?_routes=x',
  ])('lets %s in', (target) => {
    expect(judge({ target })).toBe('in');
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
  ])('finds the path of %s ambiguous', (target) => {
    expect(judge({ target })).toBe(400);
  });

  it('takes a path as long as any of the site ten times over, and no longer one', () => {
    expect(judge({ target: `/${'a'.repeat(MAX_PATH_LENGTH - 1)}?${'q'.repeat(5000)}` })).toBe('in');
    expect(judge({ target: `/${'a'.repeat(MAX_PATH_LENGTH)}` })).toBe(414);
    expect(judge({ target: '/a'.repeat(16_000) })).toBe(414);
  });

  it.each([['Site.Example'], ['SITE.EXAMPLE']])('knows the host %s', (host) => {
    expect(judge({ headers: { host } })).toBe('in');
  });

  it.each([
    '',
    'evil.example',
    'site.example:8443',
    'site.example.',
    'site.example, site.example',
    'x@site.example',
  ])('does not know the host “%s”', (host) => {
    expect(judge({ headers: { host } })).toBe(421);
  });

  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, 'in'],
    [{ 'sec-fetch-site': 'same-origin', origin: ORIGIN }, 'in'],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'same-origin', origin: 'none' }, 403],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, 403],
    [{ origin: ORIGIN }, 'in'],
    [{ 'sec-fetch-site': 'none', origin: ORIGIN }, 403],
    [{ 'sec-fetch-site': 'same-site', origin: ORIGIN }, 403],
    [{ 'sec-fetch-site': 'cross-site', origin: ORIGIN }, 403],
    [{ 'sec-fetch-site': '', origin: ORIGIN }, 403],
    [{ 'sec-fetch-site': 'same-origin, cross-site' }, 403],
    [{ origin: `${ORIGIN}/` }, 403],
    [{ origin: 'http://site.example' }, 403],
    [{ referer: `${ORIGIN}/` }, 403],
    [{}, 403],
  ])('judges a POST with %o', (headers, verdict) => {
    expect(judge({ method: 'POST', headers: { ...headers } })).toBe(verdict);
  });

  it('knows no HEAD of what is sent to scripts', () => {
    expect(judge({ method: 'HEAD', target: '/fr.data?_routes=root' })).toBe(405);
    expect(judge({ method: 'HEAD', target: '/fr' })).toBe('in');
  });

  // threat-model: T-055
  it('takes a discovery of every page of the site at once, and of no more', () => {
    const pages = Array.from({ length: 30 }, (_, index) => `&p=%2Fl${index}%2Ftypography-demo`).join('');
    expect(judge({ target: `/__manifest?version=0123abcd${pages}` })).toBe('in');
    for (const flood of [
      '&p=%2Fa'.repeat(200),
      `&p=${'/a'.repeat(300)}`,
      `&p=${'/a'.repeat(9)}`,
      `&p=${'%2Fa'.repeat(9)}`,
      `&p=${'%2fa'.repeat(300)}`,
      '&p'.repeat(300),
    ]) {
      expect(judge({ target: `/__manifest?version=0123abcd${flood}` })).toBe(400);
    }
    expect(judge({ target: `/__manifest?p=${'a'.repeat(3000)}` })).toBe(400);
  });
});
