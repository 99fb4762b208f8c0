/** Every kind of response that depends on the session, also when the response refreshes the session. */
import { readdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shippedQuery } from '../../support/http/shipped-operations.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import {
  createSiteVisitor,
  type SiteResponse,
  type SiteVisitor,
  signUpVisitor,
} from '../../support/sign-in/site-visitor.ts';
import { examplePath, forThisSite, other, otherHome } from '../../support/this-site.ts';

const agent = new Agent({ keepAlive: true });
let stack: Stack;
/** Signed in, with tokens that are valid for a while. */
let ada: SiteVisitor;
/** Signed in, with tokens that are refreshed by every request. */
let due: SiteVisitor;

beforeAll(async () => {
  stack = await startStack({ environment: { RATE_LIMIT_SCALE: '0' } });
  ada = await signUpVisitor(stack, agent, 'ada@example.com');
  stack.cloud.faults.set({ tokenSeconds: 4 });
  due = await signUpVisitor(stack, agent, 'due@example.com');
  stack.cloud.faults.set({});
}, 60_000);
afterEach(() => stack.cloud.faults.set({}));
afterAll(async () => {
  agent.destroy();
  await stack.stop();
});

type SiteRequest = { method?: string; path: string; headers?: Record<string, string>; body?: string };
const document = { accept: 'text/html', 'sec-fetch-dest': 'document' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/json' };
const post = (path: string, headers: Record<string, string>, body: string): SiteRequest => ({
  method: 'POST',
  path,
  headers,
  body,
});
const operation = JSON.stringify({ query: shippedQuery.query });

/** Requests, and the status of the response to a signed-in visitor. */
const requests = forThisSite<[string, SiteRequest, number]>([
  ['a document', { path: otherHome, headers: document }, 200],
  ['a document with data of the visitor’s', { path: '/test-message', headers: document }, 200],
  ['the head of a document', { method: 'HEAD', path: otherHome, headers: document }, 200],
  ['data for a script', { path: `${otherHome}.data` }, 200],
  ['data of one route', { path: '/test-message.data?_routes=test-message___en' }, 200],
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
  ['a missing page of messages', { path: '/test-message?after=invalid', headers: document }, 404],
  ['a method that a page does not support', post(examplePath(other), form, 'a=b'), 405],
  ['a method that a route does not support', { path: '/auth/sign-out' }, 405],
  ['a method that the proxy does not support', { path: '/api/graphql' }, 405],
  ['an empty form', post('/preferences', form, ''), 400],
  ['a form of another content type', post('/preferences', { 'content-type': 'text/plain' }, 'x'), 415],
  ['a prefetch of a sign-in', { path: '/auth/sign-in', headers: { 'sec-purpose': 'prefetch' } }, 403],
  ['an operation', post('/api/graphql', json, operation), 200],
  ['an operation that is rejected', post('/api/graphql', json, '{'), 400],
  ['an operation that is not shipped', post('/api/graphql', json, '{"query":"{x}"}'), 403],
  ['an operation of another type', post('/api/graphql', form, 'x'), 415],
  ['an identity', { path: '/api/identity' }, 200],
  [
    'an identity for another site',
    { path: '/api/identity', headers: { 'sec-fetch-site': 'cross-site' } },
    403,
  ],
  ['an identity that is posted', post('/api/identity', form, 'a=b'), 405],
]);

/** The headers that are not different for each response. */
function sharedHeaders({ date: _date, 'x-request-id': _id, ...headers }: SiteResponse['headers']) {
  return headers;
}

function send(visitor: SiteVisitor, { path, ...options }: SiteRequest): Promise<SiteResponse> {
  // A copy of the visitor discards the new cookies, so that the next request refreshes the session again.
  return visitor.copy().request(path, options);
}

describe('no cache may store', () => {
  it.each(requests)('%s', async (_what, request, status) => {
    const response = await send(ada, request);
    expect([response.status, response.headers['cache-control']]).toEqual([status, 'private, no-store']);
  });

  // threat-model: T-012, T-014
  it.each(requests)('%s that refreshes the session', async (_what, request, status) => {
    const response = await send(due, request);
    expect([response.status, response.headers['cache-control']]).toEqual([status, 'private, no-store']);
    const names = (response.headers['set-cookie'] ?? []).map((line) => line.split('=', 1)[0]);
    expect(names.some((name) => name?.startsWith('session'))).toBe(true);
    expect(new Set(names).size, 'each cookie is set once').toBe(names.length);
  });

  // threat-model: T-013
  it.each(
    forThisSite([
      ['a page whose data API fails', { path: '/test-message', headers: document }, 'graphql', 503],
      ['an operation that fails', post('/api/graphql', json, operation), 'graphql', 503],
      [
        'an identity that cannot be loaded',
        { path: '/api/identity', headers: { cookie: '' } },
        'cognito-identity',
        503,
      ],
    ]),
  )('%s', async (_what, request, service, status) => {
    stack.cloud.faults.set({ faults: [{ service, kind: 'status', status: 503 }] });
    const response = await send(ada, request);
    expect([response.status, response.headers['cache-control']]).toEqual([status, 'private, no-store']);
  });

  // threat-model: T-014
  it.each(requests)('%s that deletes an invalid cookie', async (_what, request) => {
    const broken = createSiteVisitor(stack.site.origin, agent);
    broken.cookies.cookies.set('session', '2.broken');
    const response = await send(broken, request);
    expect(response.headers['cache-control']).toBe('private, no-store');
    const names = (response.headers['set-cookie'] ?? []).map((line) => line.split('=', 1)[0]);
    expect(names.filter((name) => name === 'session')).toHaveLength(1);
  });
});

describe('a public resource', () => {
  const publicPaths = [
    '/sitemap.xml',
    '/robots.txt',
    '/manifest.webmanifest',
    '/api/icons/lucide.json?icons=house',
  ];

  it.each(publicPaths)('is the same for a visitor with a session: %s', async (path) => {
    const [signedIn, anonymous] = [
      await send(ada, { path }),
      await send(createSiteVisitor(stack.site.origin, agent), { path }),
    ];
    expect(signedIn.body).toBe(anonymous.body);
    expect(signedIn.headers['set-cookie']).toBeUndefined();
    expect(signedIn.headers['cache-control']).toMatch(/^public, max-age=\d+/);
  });

  it('is the same for every session if the build contains it, also when the session is due for a refresh', async () => {
    const files = readdirSync('build/client/assets').filter((name) => /\.(?:js|css|woff2)$/.test(name));
    expect(files.length).toBeGreaterThan(10);
    for (const name of files) {
      const path = `/assets/${name}`;
      const [anonymous, signedIn, refreshed] = await Promise.all([
        send(createSiteVisitor(stack.site.origin, agent), { path }),
        send(ada, { path }),
        send(due, { path }),
      ]);
      for (const { status, body, headers } of [signedIn, refreshed]) {
        expect({ status, body, ...sharedHeaders(headers) }).toEqual({
          status: 200,
          body: anonymous.body,
          ...sharedHeaders(anonymous.headers),
        });
        expect(headers['set-cookie']).toBeUndefined();
      }
    }
  });

  // threat-model: T-014
  it.each(publicPaths)('is not cacheable when the response sets a cookie: %s', async (path) => {
    const { headers } = await send(due, { path });
    expect(headers['set-cookie']).toBeDefined();
    expect(headers['cache-control']).toBe('private, no-store');
  });
});
