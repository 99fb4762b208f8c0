import { describe, expect, it } from 'vitest';
import { rulesAt } from '../../../tests/support/http/server-rules.ts';
import { createResponseCookies } from '../../cognito-session/src/cookies/cookie-jar.ts';
import type { SiteResponse } from '../src/exchange.ts';
import { createHeads } from '../src/response-head.ts';

const rules = rulesAt('https://site.example');
const cookie = { httpOnly: true, secure: true, sameSite: 'lax' } as const;

type Source = {
  status?: number;
  vary?: string[];
  cookies?: readonly string[];
  from?: typeof rules;
};

/** Returns the complete head by name. */
function headOf(
  headers: SiteResponse['headers'],
  { status = 200, vary = [], cookies = [], from = rules }: Source = {},
) {
  const jar = createResponseCookies();
  for (const name of cookies) jar.set(name, '1', cookie);
  return createHeads(from)({ requestId: 'id', cookies: jar, vary }, status, headers);
}

const defaults = {
  'x-request-id': 'id',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'private, no-store',
};

describe('the head of a response', () => {
  it('has safe defaults', () => {
    expect(headOf({})).toEqual(defaults);
    const { 'strict-transport-security': _https, ...plain } = defaults;
    expect(headOf({}, { from: rulesAt('http://https.example') })).toEqual(plain);
  });

  it('has the headers of the step in place of the defaults', () => {
    const own = { 'x-frame-options': 'SAMEORIGIN', 'cache-control': 'no-cache', 'x-own': 'a' };
    expect(headOf(own)).toEqual({ ...defaults, ...own });
  });

  it('sets each cookie once, and is never stored by a shared cache then', () => {
    const line = 'a=1; Path=/; HttpOnly; Secure; SameSite=Lax';
    const cached = { 'cache-control': 'public, max-age=60' };
    expect(headOf(cached, { cookies: ['a'] })).toEqual({ ...defaults, 'set-cookie': [line] });
    const { 'set-cookie': both } = headOf({ 'set-cookie': ['b=2', line] }, { cookies: ['a'] });
    expect(both).toEqual(['b=2', line]);
    const { 'set-cookie': own, 'cache-control': stored } = headOf({ ...cached, 'set-cookie': 'b=2' });
    expect([own, stored]).toEqual([['b=2'], 'private, no-store']);
    // Browsers keep pages with `no-store` out of their back/forward cache.
    const kept = headOf({ 'cache-control': 'private, no-cache' }, { cookies: ['a'] });
    expect(kept['cache-control']).toBe('private, no-cache');
  });

  it('names once what the response depends on', () => {
    const vary = ['Cookie', 'Accept', 'Cookie'];
    expect(headOf({}, { vary }).vary).toBe('Cookie, Accept');
    expect(headOf({ vary: 'Origin' }, { vary }).vary).toBe('Origin, Cookie, Accept');
    expect(headOf({ vary: ['Origin', 'Accept'] }).vary).toBe('Origin, Accept');
  });

  // threat-model: T-024
  it('has a location on the site or the hosted login', () => {
    expect(headOf({ location: '/fr' }).location).toBe('/fr');
    expect(headOf({ location: 'https://evil.example/' }).location).toBe('/');
    expect(headOf({ location: ['/fr', '/de'] }).location).toBeUndefined();
  });

  it('closes the connection during shutdown', () => {
    const source = { requestId: 'id', cookies: createResponseCookies(), vary: [] };
    expect(createHeads(rules, () => true)(source, 200, {}).connection).toBe('close');
  });

  it('with status 405 names the allowed methods', () => {
    expect(headOf({}, { status: 405 }).allow).toBe('GET, HEAD');
    expect(headOf({ allow: 'POST' }, { status: 405 }).allow).toBe('POST');
  });
});
