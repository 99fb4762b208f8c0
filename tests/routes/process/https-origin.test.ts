/** The site behind a proxy that terminates TLS: its `APP_ORIGIN` is an https address. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../../support/http/raw-request.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { other, otherHome } from '../../support/this-site.ts';

const HOST = 'site.example';
const LOGIN = 'https://login.example';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    topology: 'one machine',
    environment: { APP_ORIGIN: `https://${HOST}`, COGNITO_DOMAIN: LOGIN },
  });
}, 60_000);
afterAll(() => stack.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  sendRaw(stack.site.origin, { path, headers: { host: HOST, ...headers } });

describe('an https origin', () => {
  it.each([
    ['a cached page', otherHome, 200],
    ['an error page', '/no/such/page', 404],
    ['a file', '/robots.txt', 200],
    ['a rejected request', '/%00', 400],
    ['the API', '/api/identity', 200],
    ['a redirect', `${otherHome}/`, 301],
  ])('has the same security headers on %s', async (_what, path, status) => {
    const response = await get(path);
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
      'strict-transport-security': 'max-age=63072000; includeSubDomains',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  });

  it.each([
    ['a cached page', otherHome, {}],
    ['a rendered page', otherHome, { cookie: 'a=b; __Host-notice=expired' }],
    ['an error page', '/no/such/page', {}],
  ])('has the exact policy of documents on %s', async (_what, path, headers) => {
    const response = await get(path, headers);
    const scripts = /script-src 'self'((?: '(?:sha256|nonce)-[\w+/=-]+')+);/;
    const policy = String(response.headers['content-security-policy']);
    expect(policy).toMatch(scripts);
    expect(policy.replace(scripts, 'script-src OWN;').split('; ')).toEqual([
      "default-src 'self'",
      'script-src OWN',
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      `form-action 'self' ${LOGIN}`,
      "frame-ancestors 'none'",
      'report-uri /csp-reports',
      'report-to csp',
    ]);
    expect(response.headers['reporting-endpoints']).toBe('csp="/csp-reports"');
  });

  // threat-model: T-009
  it('has secure cookies, with the prefix __Host- for those that only the server reads', async () => {
    const attempt = (await get('/auth/sign-in')).headers['set-cookie'];
    expect(attempt).toEqual([expect.stringMatching(/^__Host-oauth\.[\w-]{12}=.*; HttpOnly; Secure; /)]);
    const language = (await get('/', { 'accept-language': other.code, 'sec-fetch-mode': 'navigate' }))
      .headers;
    expect(language['set-cookie']).toEqual([
      expect.stringMatching(new RegExp(`^locale=${other.code}; .*; Secure; `)),
    ]);
  });

  it.each(['/robots.txt', '/api/identity'])('allows %s to run, load and be framed nowhere', async (path) => {
    const { headers } = await get(path);
    expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  it('has https addresses in its pages', async () => {
    const { body } = await get(otherHome);
    expect(body).toContain(`<link rel="canonical" href="https://${HOST}${otherHome}"`);
    expect(body).not.toContain(`http://${HOST}`);
  });
});
