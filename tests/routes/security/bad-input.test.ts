import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathOf } from '../../../app/i18n/localized-page.ts';
import { type RawRequest, type RawResponse, sendRaw } from '../../support/http/raw-request.ts';
import { openPages } from '../../support/localized-pages.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { examplePath, formPath, hasPage, other, otherHome } from '../../support/this-site.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
const json = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };

const send = (request: RawRequest) => sendRaw(stack.site.origin, request);

/** Expects a response with a request id, security headers and no internal details. */
function expectSafe(response: RawResponse): void {
  expect(response.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
  expect(response.headers['x-content-type-options']).toBe('nosniff');
  expect(response.headers['content-security-policy']).toContain("default-src '");
  expect(response.headers['cache-control']).toContain('no-store');
  expect(response.body).not.toContain(process.cwd());
  expect(response.headers['x-powered-by']).toBeUndefined();
  expect(response.body).not.toMatch(/\bat .*\.(?:js|ts):\d+|node_modules|file:\/\/|Error:/);
}

const everyRoute = [
  '/auth/sign-in',
  '/auth/sign-up',
  '/auth/callback',
  '/auth/sign-out',
  '/api/graphql',
  '/api/identity',
  '/preferences',
  '/',
  ...openPages.map((page) => pathOf(page, other)),
];

describe('ambiguous and unknown paths', () => {
  // threat-model: T-065
  it.each(['/%', '/preferences%00', '/auth/%0d%0aset-cookie:x=1', '/../etc/passwd', '//evil.example/x'])(
    'return 400: %s',
    async (path) => {
      const response = await send({ path });
      expect(response.status).toBe(400);
      expectSafe(response);
    },
  );

  it.each(['/API/graphql', '/%61pi/nothing', '/.env', '/FR', '/en'])('return 404: %s', async (path) => {
    const response = await send({ path });
    expect(response.status).toBe(404);
    expectSafe(response);
  });

  it('return 404 without a page for a missing asset', async () => {
    const response = await send({ path: '/assets/home-00000000.js' });
    expect(response.status).toBe(404);
    expect(response.headers['content-type']).toContain('text/plain');
    expectSafe(response);
  });
});

describe('hosts and methods', () => {
  // threat-model: T-061
  it.each(['evil.example', 'localhost', 'localhost:1/api/json?x='])(
    'rejects the host “%s” with 421',
    async (host) => {
      const response = await send({ path: '/', headers: { host } });
      expect(response.status).toBe(421);
      expectSafe(response);
    },
  );

  // threat-model: T-025
  it('ignores X-Forwarded-Host', async () => {
    const response = await send({ path: otherHome, headers: { 'x-forwarded-host': 'evil.example' } });
    expect(response.status).toBe(200);
    expect(response.body).not.toContain('evil.example');
    const headers = { ...form, origin: stack.site.origin, 'x-forwarded-host': 'evil.example' };
    const posted = await send({ path: '/preferences', method: 'POST', headers, body: 'theme=dark' });
    expect(posted.status, 'the origin of the form is valid').toBe(303);
  });

  it('ignores X-Forwarded-Proto', async () => {
    const headers = { ...form, 'x-forwarded-proto': '%0d%0aset-cookie:%20a=b' };
    for (const [path, status] of [
      [otherHome, 200],
      ['/nowhere', 404],
      [examplePath(), 200],
    ] as const) {
      const response = await send({ path, headers });
      expect(response.status, path).toBe(status);
      expect(response.headers['set-cookie']?.join() ?? '', path).not.toContain('a=b');
    }
    const posted = await send({ path: '/preferences', method: 'POST', headers, body: 'theme=dark' });
    expect(posted.status).toBe(303);
  });

  // threat-model: T-066
  it.each(everyRoute)('rejects unknown methods of %s with 405 and Allow', async (path) => {
    for (const method of ['TRACE', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      const response = await send({ path, method, headers: json });
      expect(response.status, method).toBe(405);
      expect(response.headers.allow, method).toBeTruthy();
      expectSafe(response);
    }
  });

  // threat-model: T-066
  it.each([
    ['GET', '/preferences'],
    ['POST', '/auth/callback'],
    ['POST', '/api/identity'],
    ['POST', '/'],
  ])('rejects %s %s with 405 and Allow', async (method, path) => {
    const response = await send({
      path,
      method,
      headers: form,
      ...(method === 'POST' ? { body: 'a=b' } : {}),
    });
    expect(response.status).toBe(405);
    expect(response.headers.allow).toMatch(method === 'GET' ? /^POST$/ : /^GET(, HEAD)?$/);
    expectSafe(response);
  });

  // threat-model: T-051
  it('rejects the internal query of Remix', async () => {
    const response = await send({ path: '/?_data=root' });
    expect(response.status).toBe(400);
    expectSafe(response);
  });
});

describe('files', () => {
  const path = `/locales/${other.code}/common.json`;

  it.each([
    [416, 'range', 'bytes=999999999-'],
    [412, 'if-match', '"another"'],
    [412, 'if-unmodified-since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ])('return %i for a condition that is not met: %s', async (status, name, value) => {
    for (const coding of ['identity', 'br']) {
      const response = await send({ path, headers: { [name]: value, 'accept-encoding': coding } });
      expect(response.status).toBe(status);
      expect(response.headers['content-range']).toEqual(
        status === 416 ? expect.stringMatching(/^bytes \*\/\d+$/) : undefined,
      );
      expect(response.headers).not.toHaveProperty('content-encoding');
      expect(response.headers).not.toHaveProperty('last-modified');
      expectSafe(response);
    }
    expect(stack.site.output()).not.toContain('a request failed');
  });
});

describe('bodies', () => {
  // threat-model: T-067
  it.each(['/preferences', ...(hasPage('test-message') ? [formPath(other)] : [])])(
    'of another content type are rejected with 415 at %s',
    async (path) => {
      const response = await send({ path, method: 'POST', headers: json, body: '{"theme":"dark"}' });
      expect(response.status).toBe(415);
      expectSafe(response);
    },
  );

  // threat-model: T-067
  it.each(['/preferences', '/auth/sign-out', '/api/graphql', examplePath(other)])(
    'of 10 MB are rejected with 413 at %s',
    async (path) => {
      const response = await send({
        path,
        method: 'POST',
        headers: { ...form, 'content-length': '10485760' },
      });
      // The response arrives before the body is sent.
      expect(response.status).toBe(413);
      expectSafe(response);
    },
  );

  // threat-model: T-067
  it('longer than 64 KiB without a declared length are rejected with 413', async () => {
    const request = httpRequest(new URL('/preferences', stack.site.origin), {
      method: 'POST',
      headers: form,
    });
    request.on('error', () => {}).write(Buffer.alloc(64 * 1024 + 1, 'a'));
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(413);
    request.destroy();
  });

  // threat-model: T-056
  it.each(['theme=pink', 'locale=__proto__', 'locale=EN', 'theme=dark&locale=xx', ''])(
    'with the preference “%s” are rejected with 400 and set no cookie',
    async (body) => {
      const response = await send({ path: '/preferences', method: 'POST', headers: form, body });
      expect(response.status).toBe(400);
      expect(response.headers['set-cookie']).toBeUndefined();
      expectSafe(response);
    },
  );

  // threat-model: T-067
  it('with malformed multipart data are rejected with 400', async () => {
    const headers = { ...form, 'content-type': 'multipart/form-data; boundary=x' };
    const response = await send({ path: '/preferences', method: 'POST', headers, body: 'not multipart' });
    expect(response.status).toBe(400);
    expectSafe(response);
  });

  it('with headers over the limit are rejected with 431', async () => {
    const response = await send({ path: '/', headers: { cookie: 'a'.repeat(40_000) } });
    expect(response.status).toBe(431);
  });
});

describe('invalid cookies', () => {
  // threat-model: T-056, T-068
  it.each([
    'theme=__proto__; locale=constructor',
    'theme=%00; locale=%',
    'session=garbage',
    'session=3.a; session.1=b',
    'session=eyJhbGciOiJkaXIifQ..a.b.c',
    'oauth.x=y; guest=z; notice=<script>',
    ';;;===;;',
  ])('lead to the page of an anonymous visitor: “%s”', async (cookie) => {
    const response = await send({ path: examplePath(), headers: { cookie } });
    expect(response.status).toBe(200);
    expect(response.body).toContain('data-theme="system"');
    expect(response.body).not.toContain('<script>&lt;');
  });

  // threat-model: T-010, T-068
  it('of a session are deleted once, with all chunks', async () => {
    const response = await send({
      path: otherHome,
      headers: { cookie: 'session=2.x; session.1=y' },
    });
    const lines = response.headers['set-cookie'] ?? [];
    expect(lines.map((line) => line.split('=', 1)[0])).toEqual(['session', 'session.1']);
    for (const line of lines) expect(line).toMatch(/Max-Age=0; Path=\/; HttpOnly; SameSite=Lax/);
  });
});

it('still serves pages after all requests', async () => {
  const response = await send({ path: otherHome });
  expect(response.status).toBe(200);
  expect(stack.site.isRunning()).toBe(true);
});
