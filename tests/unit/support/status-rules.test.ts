import { describe, expect, it } from 'vitest';
import { findWrongStatus } from '../../support/fuzzing/status-rules.ts';
import type { RawRequest } from '../../support/http/raw-request.ts';

const ORIGIN = 'http://localhost:3000';
const wrongStatus = (status: number, request: RawRequest) => findWrongStatus(request, { status }, ORIGIN);
const own = { 'sec-fetch-site': 'same-origin' };

describe('the status of a fuzzed request', () => {
  it.each<[number, RawRequest]>([
    [400, { path: '/%' }],
    [400, { path: '/a/%2E%2e/b' }],
    [400, { path: '//evil.example' }],
    [400, { path: '/fr?%5Fd%61ta=root' }],
    [400, { path: `/fr?a${'&a'.repeat(100)}` }],
    [403, { method: 'POST', path: '/preferences' }],
    [403, { method: 'POST', path: '/preferences', headers: { 'sec-fetch-site': 'same-site' } }],
    [405, { method: 'HEAD', path: '/fr.data' }],
    [413, { method: 'POST', path: '/preferences', headers: { ...own, 'content-length': '65537' } }],
    [413, { method: 'POST', path: '/api/graphql', headers: { ...own, 'content-length': '1048577' } }],
    [414, { path: `/${'a'.repeat(1024)}` }],
    [414, { path: `/?${'a'.repeat(8704)}` }],
    [421, { path: '/', headers: { host: 'evil.example' } }],
    [431, { path: '/', headers: { cookie: 'a'.repeat(40_000) } }],
  ])('must be %i for %o', (status, request) => {
    expect(wrongStatus(status, request)).toBeNull();
    for (const other of [200, 303, 404, 429])
      expect(wrongStatus(other, request)).toBe(`status ${other} instead of ${status}`);
  });

  it.each<[number, RawRequest]>([
    [304, { path: '/fr', headers: { 'if-none-match': '*' } }],
    [206, { path: '/favicon.ico', headers: { range: 'bytes=0-0' } }],
    [412, { path: '/favicon.ico', headers: { 'if-match': '"x"' } }],
    [416, { path: '/favicon.ico', headers: { range: 'bytes=999999-' } }],
  ])('may be %i only with its header', (status, request) => {
    expect(wrongStatus(status, request)).toBeNull();
    expect(wrongStatus(status, { ...request, headers: {} })).toBe(`status ${status} without a reason`);
  });

  it.each([414, 421, 431])('may not be %i for a request with an allowed form', (status) => {
    expect(wrongStatus(status, { path: '/fr' })).toBe(`status ${status} without a reason`);
    expect(wrongStatus(status, { method: 'POST', path: '/preferences', headers: own })).not.toBeNull();
  });

  it('is any of those that a request with several defects may get', () => {
    const request = { method: 'PUT', path: '/%?_data=root' };
    for (const status of [400, 405]) expect(wrongStatus(status, request)).toBeNull();
    expect(wrongStatus(413, request)).toBe('status 413 instead of 400 or 405');
  });
});
