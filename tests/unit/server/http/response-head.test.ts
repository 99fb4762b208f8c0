import { describe, expect, it } from 'vitest';
import { createResponseCookies } from '../../../../app/server/cookies/cookie-jar.ts';
import type { SiteResponse } from '../../../../app/server/http/exchange.ts';
import { documentPolicy, ResponseHeads } from '../../../../app/server/http/response-head.ts';

const env = {
  appOrigin: 'https://site.example',
  userPool: { domain: 'https://login.example' },
  sharedCache: false,
};
const cookie = { httpOnly: true, secure: true, sameSite: 'lax' } as const;

type Source = {
  status?: number;
  vary?: string[];
  cookies?: readonly string[];
  from?: typeof env;
  isForCache?: boolean;
};

/** Returns the complete head by name. Fails for a name that occurs twice. */
function headOf(
  headers: SiteResponse['headers'],
  { status = 200, vary = [], cookies = [], from = env, isForCache }: Source = {},
) {
  const jar = createResponseCookies();
  for (const name of cookies) jar.set(name, '1', cookie);
  const heads = new ResponseHeads(from);
  const head = heads.complete(
    { requestId: 'id', cookies: jar, vary },
    heads.fix(status, headers, isForCache),
  );
  const pairs = Array.from({ length: head.length / 2 }, (_, index) => head.slice(2 * index, 2 * index + 2));
  expect(new Set(pairs.map(([name]) => name)).size).toBe(pairs.length);
  return Object.fromEntries(pairs);
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
    expect(headOf({}, { from: { ...env, appOrigin: 'http://https.example' } })).toEqual(plain);
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
    const heads = new ResponseHeads(env, () => true);
    const source = { requestId: 'id', cookies: createResponseCookies(), vary: [] };
    expect(heads.complete(source, heads.fix(200, {})).slice(-2)).toEqual(['connection', 'close']);
  });

  it('with status 405 names the allowed methods', () => {
    expect(headOf({}, { status: 405 }).allow).toBe('GET, HEAD');
    expect(headOf({ allow: 'POST' }, { status: 405 }).allow).toBe('POST');
  });
});

describe('the head of a response behind a shared cache', () => {
  const from = { ...env, sharedCache: true };
  const page = { 'cache-control': 'private, no-cache', 'cdn-cache-control': 'max-age=60' };

  it('has the lifetime that the step states, and the caching of browsers unchanged', () => {
    expect(headOf(page, { from })).toEqual({ ...defaults, ...page });
  });

  // threat-model: T-107
  it('has neither the caching of browsers nor a request id if that cache sends it to everyone', () => {
    const { 'x-request-id': _id, 'cache-control': _own, ...stored } = defaults;
    expect(headOf(page, { from, isForCache: true })).toEqual(stored);
    const personal = headOf(page, { from, isForCache: true, cookies: ['a'] });
    expect(personal).toMatchObject({
      'x-request-id': 'id',
      'cache-control': 'private, no-cache, stale-if-error=0',
    });
    expect(personal).not.toHaveProperty('cdn-cache-control');
    const unshared = headOf({ 'cache-control': 'private, no-cache' }, { isForCache: true });
    expect(unshared).toEqual({ ...defaults, 'cache-control': 'private, no-cache' });
  });

  // threat-model: T-109
  it('has no lifetime if it sets a cookie', () => {
    for (const head of [
      headOf(page, { from, cookies: ['a'] }),
      headOf({ ...page, 'set-cookie': 'a=b' }, { from }),
    ]) {
      expect(head).not.toHaveProperty('cdn-cache-control');
      expect(head['cache-control']).toBe('private, no-cache, stale-if-error=0');
    }
  });

  // threat-model: T-109
  it('forbids to send a private response when the site does not respond', () => {
    expect(headOf({}, { from })['cache-control']).toBe('private, no-store, stale-if-error=0');
    const file = { 'cache-control': 'public, max-age=31536000, immutable' };
    expect(headOf(file, { from })['cache-control']).toBe(file['cache-control']);
  });
});

describe('the policy of a document', () => {
  const directives = [
    "default-src 'self'",
    "script-src 'self' 'nonce-a' 'sha256-b'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self' https://login.example",
    "frame-ancestors 'none'",
    'report-uri /csp-reports',
  ];
  const policyOf = (appOrigin: string, development = false) =>
    documentPolicy(["'nonce-a'", "'sha256-b'"], { ...env, appOrigin }, development);

  it('allows the own inline scripts and the files of the site', () => {
    expect(policyOf('https://site.example')).toEqual({
      'content-security-policy': [...directives, 'report-to csp'].join('; '),
      'reporting-endpoints': 'csp="/csp-reports"',
    });
  });

  it('on plain HTTP names no endpoint for reports, which browsers would ignore', () => {
    expect(policyOf('http://site.example')).toEqual({ 'content-security-policy': directives.join('; ') });
  });

  it('in development also allows what Vite’s client needs', () => {
    const policy = policyOf('http://site.example', true)['content-security-policy'];
    expect(policy).toContain("style-src 'self' 'unsafe-inline'; connect-src 'self' ws:; ");
  });
});
