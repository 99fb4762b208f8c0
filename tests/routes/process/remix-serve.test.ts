/** The build under Remix's own server, remix-serve: the same pages and policies without server.ts. */
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../../support/http/raw-request.ts';
import { shippedMutation, shippedQuery } from '../../support/http/shipped-operations.ts';
import { openLocalizedPages } from '../../support/localized-pages.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { createSiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { other, otherHome } from '../../support/this-site.ts';

let stack: Stack;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  stack = await startStack({ topology: 'remix-serve' });
});
afterAll(async () => {
  agent.destroy();
  await stack.stop();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  sendRaw(stack.site.origin, { path, headers });
const visit = () => createSiteVisitor(stack.site.origin, agent);
const json = { 'content-type': 'application/json' };
const list = JSON.stringify({ query: shippedQuery.query });

describe('pages under remix-serve', () => {
  it.each(openLocalizedPages)('$path is rendered in its language', async ({ path, locale }) => {
    const { status, body, headers } = await get(path);
    expect(status).toBe(200);
    expect(body).toContain(`<html lang="${locale.iso}" dir="${locale.dir}"`);
    expect(headers['content-security-policy']).toContain("'nonce-");
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
    const payload = await get(`${otherHome}/_payload.json`);
    expect([payload.status, payload.headers['content-type']]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(JSON.parse(payload.body)).toHaveProperty('translations');
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

  it('reject forms and operations from other origins', async () => {
    // Remix itself rejects a form for a page, before any code of the site runs.
    const statuses = {
      '/preferences': 403,
      '/auth/sign-out': 403,
      '/api/graphql': 403,
      [otherHome]: 500,
    };
    for (const [path, expected] of Object.entries(statuses)) {
      const headers = { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' };
      const { status } = await sendRaw(stack.site.origin, {
        path,
        headers,
        method: 'POST',
        body: 'theme=dark',
      });
      expect(status, path).toBe(expected);
    }
  });

  it('respond 501 where server.ts is needed, and say so', async () => {
    const { status, body } = await get('/readyz');
    expect(status).toBe(501);
    expect(body).toContain('needs server.ts');
    expect((await get('/healthz')).status).toBe(200);
  });

  it('limit the rate of requests', async () => {
    const limited = await startStack({
      topology: 'remix-serve',
      environment: { RATE_LIMIT_SCALE: '0.0001' },
    });
    const statusOf = async () => {
      const { status, headers } = await sendRaw(limited.site.origin, { path: '/auth/sign-in' });
      return [status, headers['retry-after'] !== undefined];
    };
    expect(await statusOf()).toEqual([302, false]);
    expect(await statusOf()).toEqual([429, true]);
    await limited.stop();
  });
});

describe('a visitor under remix-serve', () => {
  it('signs up, stores preferences, uses the proxy, posts a message, and signs out', async () => {
    const visitor = visit();
    expect(
      (await visitor.request('/api/graphql', { method: 'POST', headers: json, body: list })).status,
    ).toBe(401);
    await visitor.signUp(stack.cloud, { email: 'ada@example.com', password: PASSWORD });
    expect(await visitor.isSignedIn()).toBe(true);
    const listed = await visitor.request('/api/graphql', { method: 'POST', headers: json, body: list });
    expect([listed.status, listed.headers['cache-control']]).toEqual([200, 'private, no-store']);
    expect(listed.headers['server-timing']).toContain('upstream');
    const body = JSON.stringify({
      query: shippedMutation.query,
      variables: { content: 'under remix-serve' },
    });
    expect((await visitor.request('/api/graphql', { method: 'POST', headers: json, body })).status).toBe(200);
    expect(
      (await visitor.request('/api/graphql', { method: 'POST', headers: json, body: list })).body,
    ).toContain('under remix-serve');
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: stack.site.origin };
    const chosen = await visitor.request('/preferences', {
      method: 'POST',
      headers: form,
      body: `theme=dark&returnTo=${otherHome}`,
    });
    expect([chosen.status, chosen.headers.location]).toEqual([303, otherHome]);
    expect(chosen.headers['set-cookie']?.join()).toContain('theme=dark');
    const left = await visitor.request('/auth/sign-out', { method: 'POST', headers: form, body: '' });
    expect(left.status).toBe(303);
    expect(visitor.cookies.cookies.has('session')).toBe(false);
  });

  it('receives the cookie of a refreshed session on documents, data and the proxy', async () => {
    stack.cloud.faults.set({ tokenSeconds: 4 });
    const visitor = visit();
    await visitor.signUp(stack.cloud, { email: 'due@example.com', password: PASSWORD });
    stack.cloud.faults.set({});
    const document = await visitor.copy().request(otherHome);
    const data = await visitor
      .copy()
      .request(`${otherHome}.data`, { headers: { 'sec-fetch-dest': 'empty' } });
    const proxied = await visitor
      .copy()
      .request('/api/graphql', { method: 'POST', headers: json, body: list });
    for (const { status, headers } of [document, data, proxied]) {
      expect(status).toBe(200);
      expect(headers['set-cookie']?.join()).toMatch(/session=/);
    }
  });
});
