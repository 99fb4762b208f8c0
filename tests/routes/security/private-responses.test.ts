/** Every kind of response that depends on the session, also when the response refreshes the session. */
import { readdirSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RawRequest } from '../../support/http/raw-request.ts';
import { shippedQuery } from '../../support/http/shipped-operations.ts';
import type { SiteResponse, SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { examplePath, forThisSite, other, otherHome } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const stack = setUpStack({ environment: { RATE_LIMIT_SCALE: '0' } });
/** Signed in, with tokens that are valid for a while. */
let ada: SiteVisitor;
/** Signed in, with tokens that are refreshed by every request. */
let due: SiteVisitor;

beforeAll(async () => {
  ada = await stack.signUp('ada');
  stack.cloud.faults.set({ tokenSeconds: 4 });
  due = await stack.signUp('due');
  stack.cloud.faults.set({});
});
afterEach(() => stack.cloud.faults.set({}));

const document = { accept: 'text/html', 'sec-fetch-dest': 'document' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/json' };
const post = (path: string, headers: Record<string, string>, body: string): RawRequest => ({
  method: 'POST',
  path,
  headers,
  body,
});
const operation = JSON.stringify({ query: shippedQuery.query });

/** Requests, and the status of the response to a signed-in visitor. */
const requests = forThisSite<[string, RawRequest, number]>([
  ['a document', { path: otherHome, headers: document }, 200],
  ['a document with data of the visitor’s', { path: '/test-message', headers: document }, 200],
  ['the head of a document', { method: 'HEAD', path: otherHome, headers: document }, 200],
  ['data for a script', { path: `${otherHome}.data` }, 200],
  ['a redirect to the path without its trailing slash', { path: `${otherHome}/` }, 301],
  [
    'a redirect to the visitor’s language',
    { path: '/', headers: { ...document, 'sec-fetch-site': 'none', 'accept-language': other.code } },
    302,
  ],
  ['a redirect of a route', { path: `/auth/sign-in?returnTo=${otherHome}` }, 302],
  ['a redirect for a script', { path: `/auth/sign-in.data?returnTo=${otherHome}` }, 202],
  ['an invalid callback', { path: '/auth/callback' }, 302],
  ['a redirect after a form', post('/preferences', form, 'theme=dark'), 303],
  ['the outcome of a form for a script', post('/test-message.data', form, 'content='), 422],
  ['a form that fails', post('/test-message', { ...form, ...document }, 'content='), 422],
  ['a missing page', { path: '/nowhere', headers: document }, 404],
  ['data of a missing page', { path: '/nowhere.data' }, 404],
  ['a method that a page does not support', post(examplePath(other), form, 'a=b'), 405],
  ['a method that a route does not support', { path: '/auth/sign-out' }, 405],
  ['a form of another content type', post('/preferences', { 'content-type': 'text/plain' }, 'x'), 415],
  ['a prefetch of a sign-in', { path: '/auth/sign-in', headers: { 'sec-purpose': 'prefetch' } }, 403],
  ['an operation', post('/api/graphql', json, operation), 200],
  ['an operation that is rejected', post('/api/graphql', json, '{'), 400],
  ['an identity', { path: '/api/identity' }, 200],
  [
    'an identity for another site',
    { path: '/api/identity', headers: { 'sec-fetch-site': 'cross-site' } },
    403,
  ],
]);

function send(visitor: SiteVisitor, { path, ...options }: RawRequest): Promise<SiteResponse> {
  // A copy of the visitor discards the new cookies, so that the next request refreshes the session again.
  return visitor.copy().request(path, options);
}

const cookieNamesOf = ({ headers }: SiteResponse) =>
  (headers['set-cookie'] ?? []).map((line) => line.split('=', 1)[0]);

describe('no cache may store', () => {
  it.each(requests)('%s', async (_what, request, status) => {
    const response = await send(ada, request);
    expect([response.status, response.headers['cache-control']]).toEqual([status, 'private, no-store']);
  });

  // threat-model: T-012, T-014
  it.each(requests)('%s that refreshes the session', async (_what, request, status) => {
    const response = await send(due, request);
    expect([response.status, response.headers['cache-control']]).toEqual([status, 'private, no-store']);
    const names = cookieNamesOf(response);
    expect(names.some((name) => name?.startsWith('session'))).toBe(true);
    expect(new Set(names).size, 'each cookie is set once').toBe(names.length);
  });

  // threat-model: T-013
  it.each(
    forThisSite<[string, RawRequest, string]>([
      ['a page whose data API fails', { path: '/test-message', headers: document }, 'graphql'],
      ['an operation that fails', post('/api/graphql', json, operation), 'graphql'],
      [
        'an identity that cannot be loaded',
        { path: '/api/identity', headers: { cookie: '' } },
        'cognito-identity',
      ],
    ]),
  )('%s', async (_what, request, service) => {
    stack.cloud.faults.set({ faults: [{ service, kind: 'status', status: 503 }] });
    const response = await send(ada, request);
    expect([response.status, response.headers['cache-control']]).toEqual([503, 'private, no-store']);
  });

  // threat-model: T-014
  it.each(requests)('%s that deletes an invalid cookie', async (_what, request) => {
    const broken = stack.visit();
    broken.cookies.cookies.set('session', '2.broken');
    broken.cookies.cookies.set('session.1', 'broken');
    const response = await send(broken, request);
    expect(response.headers['cache-control']).toBe('private, no-store');
    expect(cookieNamesOf(response).filter((name) => name === 'session')).toHaveLength(1);
  });
});

describe('a public resource', () => {
  // threat-model: T-014
  it.each(['/sitemap.xml', '/robots.txt', '/manifest.webmanifest', '/api/icons/lucide.json?icons=house'])(
    'is the same for every session, and not cacheable when the response sets a cookie: %s',
    async (path) => {
      const [anonymous, signedIn] = [await send(stack.visit(), { path }), await send(ada, { path })];
      expect(signedIn.body).toBe(anonymous.body);
      expect(signedIn.headers['set-cookie']).toBeUndefined();
      expect(signedIn.headers['cache-control']).toMatch(/^public, max-age=\d+/);
      const refreshed = await send(due, { path });
      expect(refreshed.headers['set-cookie']).toBeDefined();
      expect(refreshed.headers['cache-control']).toBe('private, no-store');
    },
  );

  it('is the same for every session if the build contains it, also when the session is due for a refresh', async () => {
    const files = readdirSync('build/client/assets').filter((name) => /\.(?:js|css|woff2)$/.test(name));
    expect(files.length).toBeGreaterThan(10);
    const received = async (visitor: SiteVisitor, path: string) => {
      const { status, body, headers } = await send(visitor, { path });
      const { date: _date, 'x-request-id': _id, ...shared } = headers;
      return { status, body, headers: shared };
    };
    for (const name of files) {
      const [anonymous, ...others] = await Promise.all(
        [stack.visit(), ada, due].map((visitor) => received(visitor, `/assets/${name}`)),
      );
      expect(anonymous).toMatchObject({ status: 200 });
      expect(anonymous?.headers).not.toHaveProperty('set-cookie');
      expect(others).toEqual([anonymous, anonymous]);
    }
  });
});
