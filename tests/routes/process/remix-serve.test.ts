/** The build under Remix's own server, remix-serve: the same pages and policies without server.ts. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { shippedMutation, shippedQuery } from '../../support/http/shipped-operations.ts';
import { formSubmission } from '../../support/http/site-requests.ts';
import { openLocalizedPages } from '../../support/localized-pages.ts';
import { startStack } from '../../support/processes/stack.ts';
import { PASSWORD } from '../../support/sign-in/hosted-login.ts';
import type { SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { other, otherHome } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const stack = setUpStack({ topology: 'remix-serve' });
const { get } = stack;

function call(visitor: SiteVisitor, operation: object = { query: shippedQuery.query }) {
  const headers = { 'content-type': 'application/json' };
  return visitor.request('/api/graphql', { method: 'POST', headers, body: JSON.stringify(operation) });
}

describe('pages under remix-serve', () => {
  it.each(openLocalizedPages)('$path is rendered in its language', async ({ path, locale }) => {
    const { status, body, headers } = await get(path);
    expect(status).toBe(200);
    expect(body).toContain(`<html lang="${locale.iso}" dir="${locale.dir}"`);
    expect(headers['content-security-policy']).toContain("'sha256-");
    expect(headers['x-request-id']).toMatch(/^[\w-]{36}$/);
    expect(headers['x-frame-options']).toBe('DENY');
  });

  it('a missing page is a 404 in the language of its path', async () => {
    const { status, body } = await get(`${otherHome}/nowhere`);
    expect(status).toBe(404);
    expect(body).toContain(`<html lang="${other.iso}"`);
  });

  it('/ redirects a first visit to the visitor’s language', async () => {
    const { status, headers } = await get('/', { 'accept-language': other.code });
    expect([status, headers.location]).toEqual([302, otherHome]);
    expect(headers['set-cookie']?.join()).toContain(`locale=${other.code};`);
  });

  it('sends the payload of a page and the build’s data', async () => {
    expect(JSON.parse((await get(`${otherHome}/_payload.json`)).body)).toHaveProperty('translations');
    expect(JSON.parse((await get('/builds/latest.json')).body)).toHaveProperty('id');
  });
});

describe('policies under remix-serve', () => {
  it.each([
    ['a foreign host', 421, otherHome, { host: 'evil.example' }],
    ['Remix’s old data protocol', 400, `${otherHome}?_data=root`, {}],
  ] as const)('reject %s with %i', async (_what, status, path, headers) => {
    expect((await get(path, headers)).status).toBe(status);
  });

  it.each([
    ['/preferences', 403],
    ['/auth/sign-out', 403],
    ['/api/graphql', 403],
    // Remix itself rejects a form for a page, before any code of the site runs.
    [otherHome, 500],
  ])('reject forms and operations from other origins at %s', async (path, expected) => {
    const form = formSubmission({ theme: 'dark' }, { origin: 'https://evil.example' });
    expect((await stack.send({ path, ...form })).status).toBe(expected);
  });

  it('respond 501 where server.ts is needed, and say so', async () => {
    const { status, body } = await get('/readyz');
    expect(status).toBe(501);
    expect(body).toContain('needs server.ts');
    expect((await get('/healthz')).status).toBe(200);
  });

  it('limit the rate of requests', async () => {
    const { site, stop } = await startStack({
      topology: 'remix-serve',
      environment: { RATE_LIMIT_SCALE: '0.0001' },
    });
    onTestFinished(stop);
    const request = () => fetch(`${site.origin}/auth/sign-in`, { redirect: 'manual' });
    const [first, second] = [await request(), await request()];
    expect([first.status, second.status, second.headers.has('retry-after')]).toEqual([302, 429, true]);
  });
});

describe('a visitor under remix-serve', () => {
  it('signs up, stores preferences, uses the proxy, posts a message, and signs out', async () => {
    const visitor = stack.visit();
    expect((await call(visitor)).status).toBe(401);
    await visitor.signUp(stack.cloud, { email: 'ada@example.com', password: PASSWORD });
    expect(await visitor.isSignedIn()).toBe(true);
    expect((await call(visitor, shippedMutation('under remix-serve'))).status).toBe(200);
    const listed = await call(visitor);
    expect([listed.status, listed.headers['cache-control']]).toEqual([200, 'private, no-store']);
    expect(listed.headers['server-timing']).toContain('upstream');
    expect(listed.body).toContain('under remix-serve');
    const submit = (path: string, fields: Record<string, string>) =>
      visitor.request(path, formSubmission(fields, { origin: stack.site.origin }));
    const chosen = await submit('/preferences', { theme: 'dark', returnTo: otherHome });
    expect([chosen.status, chosen.headers.location]).toEqual([303, otherHome]);
    expect(chosen.headers['set-cookie']?.join()).toContain('theme=dark');
    expect((await submit('/auth/sign-out', {})).status).toBe(303);
    expect(visitor.cookies.cookies.has('session')).toBe(false);
  });

  it('receives the cookie of a refreshed session on documents, data and the proxy', async () => {
    stack.cloud.faults.set({ tokenSeconds: 4 });
    const visitor = await stack.signUp('due');
    stack.cloud.faults.set({});
    const document = await visitor.copy().request(otherHome);
    const headers = { 'sec-fetch-dest': 'empty' };
    const data = await visitor.copy().request(`${otherHome}.data`, { headers });
    const proxied = await call(visitor.copy());
    for (const { status, headers } of [document, data, proxied]) {
      expect(status).toBe(200);
      expect(headers['set-cookie']?.join()).toMatch(/session=/);
    }
  });
});
