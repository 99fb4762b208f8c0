import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { RawResponse } from '../../support/http/raw-request.ts';
import { formSubmission } from '../../support/http/site-requests.ts';
import { examplePath, formPath, hasPage, other, otherHome } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const stack = setUpStack();

const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
const json = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };

/** Expects a response with this status, a request id, security headers and no internal details. */
function expectRejected({ status, headers, body }: RawResponse, expected: number): void {
  expect(status).toBe(expected);
  expect(headers['x-request-id']).toMatch(/^[\w-]{36}$/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['content-security-policy']).toContain("default-src '");
  expect(headers['cache-control']).toContain('no-store');
  expect(headers['x-powered-by']).toBeUndefined();
  expect(body).not.toContain(process.cwd());
  expect(body).not.toMatch(/\bat .*\.(?:js|ts):\d+|node_modules|file:\/\/|Error:/);
}

describe('ambiguous and unknown paths', () => {
  // threat-model: T-065
  it.each(['/%', '/preferences%00', '/../etc/passwd'])('return 400: %s', async (path) => {
    expectRejected(await stack.get(path), 400);
  });

  it.each(['/API/graphql', '/%61pi/nothing', '/FR', '/en'])('return 404: %s', async (path) => {
    expectRejected(await stack.get(path), 404);
  });
});

describe('hosts and methods', () => {
  // threat-model: T-061
  it.each(['evil.example', 'localhost:1/api/json?x='])('rejects the host “%s” with 421', async (host) => {
    expectRejected(await stack.get('/', { host }), 421);
  });

  // threat-model: T-025
  it('ignores X-Forwarded-Host', async () => {
    const forwarded = { 'x-forwarded-host': 'evil.example' };
    const { status, body } = await stack.get(otherHome, forwarded);
    expect([status, body.includes('evil.example')]).toEqual([200, false]);
    const headers = { origin: stack.site.origin, ...forwarded };
    const posted = await stack.send({ path: '/preferences', ...formSubmission({ theme: 'dark' }, headers) });
    expect(posted.status, 'the origin of the form is valid').toBe(303);
  });

  it('ignores X-Forwarded-Proto', async () => {
    const headers = { ...form, 'x-forwarded-proto': '%0d%0aset-cookie:%20a=b' };
    for (const [path, expected] of [
      [examplePath(), 200],
      ['/nowhere', 404],
    ] as const) {
      const response = await stack.get(path, headers);
      expect(response.status, path).toBe(expected);
      expect(response.headers['set-cookie']?.join() ?? '', path).not.toContain('a=b');
    }
    const posted = await stack.send({ path: '/preferences', method: 'POST', headers, body: 'theme=dark' });
    expect(posted.status).toBe(303);
  });

  // threat-model: T-066
  it.each(['/', '/api/graphql'])('rejects unknown methods of %s with 405 and Allow', async (path) => {
    for (const method of ['TRACE', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await stack.send({ path, method, headers: json });
      expectRejected(response, 405);
      expect(response.headers.allow, method).toBeTruthy();
    }
  });

  // threat-model: T-051
  it('rejects the internal query of Remix', async () => {
    expectRejected(await stack.get('/?_data=root'), 400);
  });
});

describe('files', () => {
  it.each([
    [416, 'range', 'bytes=999999999-'],
    [412, 'if-match', '"another"'],
    [412, 'if-unmodified-since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ])('return %i for a condition that is not met: %s', async (status, name, value) => {
    for (const coding of ['identity', 'br']) {
      const response = await stack.get(`/locales/${other.code}/common.json`, {
        [name]: value,
        'accept-encoding': coding,
      });
      expectRejected(response, status);
      expect(response.headers['content-range']).toEqual(
        status === 416 ? expect.stringMatching(/^bytes \*\/\d+$/) : undefined,
      );
      expect(response.headers).not.toHaveProperty('content-encoding');
      expect(response.headers).not.toHaveProperty('last-modified');
    }
    expect(stack.site.output()).not.toContain('a request failed');
  });
});

describe('bodies', () => {
  const post = (path: string, headers: Record<string, string>, body?: string) =>
    stack.send({ path, method: 'POST', headers, ...(body === undefined ? {} : { body }) });

  // threat-model: T-067
  it.each(['/preferences', ...(hasPage('test-message') ? [formPath(other)] : [])])(
    'of another content type are rejected with 415 at %s',
    async (path) => expectRejected(await post(path, json, '{"theme":"dark"}'), 415),
  );

  // threat-model: T-067
  it.each(['/preferences', '/api/graphql'])('of 10 MB are rejected with 413 at %s', async (path) => {
    // The response arrives before the body is sent.
    expectRejected(await post(path, { ...form, 'content-length': '10485760' }), 413);
  });

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
  it.each(['locale=__proto__', 'theme=dark&locale=xx'])(
    'with the preference “%s” are rejected with 400 and set no cookie',
    async (body) => {
      const response = await post('/preferences', form, body);
      expectRejected(response, 400);
      expect(response.headers['set-cookie']).toBeUndefined();
    },
  );

  // threat-model: T-067
  it('with malformed multipart data are rejected with 400', async () => {
    const headers = { ...form, 'content-type': 'multipart/form-data; boundary=x' };
    expectRejected(await post('/preferences', headers, 'not multipart'), 400);
  });
});

describe('invalid cookies', () => {
  // threat-model: T-056, T-068
  it.each([
    'theme=__proto__; locale=constructor',
    'theme=%00; locale=%',
    'session=3.a; session.1=b',
    'oauth.x=y; guest=z; notice=<script>',
    ';;;===;;',
  ])('lead to the page of an anonymous visitor: “%s”', async (cookie) => {
    const response = await stack.get(examplePath(), { cookie });
    expect(response.status).toBe(200);
    expect(response.body).toContain('data-theme="system"');
    expect(response.body).not.toContain('<script>&lt;');
  });

  // threat-model: T-010, T-068
  it('of a session are deleted once, with all chunks', async () => {
    const { headers } = await stack.get(otherHome, { cookie: 'session=2.x; session.1=y' });
    const lines = headers['set-cookie'] ?? [];
    expect(lines.map((line) => line.split('=', 1)[0])).toEqual(['session', 'session.1']);
    for (const line of lines) expect(line).toMatch(/Max-Age=0; Path=\/; HttpOnly; SameSite=Lax/);
  });
});

it('still serves pages after all requests', async () => {
  expect((await stack.get(otherHome)).status).toBe(200);
  expect(stack.site.isRunning()).toBe(true);
});
