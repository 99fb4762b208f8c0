/** The site behind a proxy that terminates TLS: its `APP_ORIGIN` is an https address. */
import { describe, expect, it } from 'vitest';
import { examplePath, other, otherHome } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const HOST = 'site.example';
const LOGIN = 'https://login.example';

const stack = setUpStack({
  topology: 'one machine',
  environment: { APP_ORIGIN: `https://${HOST}`, COGNITO_DOMAIN: LOGIN },
});

const get = (path: string, headers: Record<string, string> = {}) =>
  stack.get(path, { host: HOST, ...headers });

describe('an https origin', () => {
  it.each([
    ['a cached page', otherHome, 200],
    ['an error page', '/no/such/page', 404],
    ['a file', '/robots.txt', 200],
    ['a rejected request', '/%00', 400],
    ['the API', '/api/identity', 200],
    ['a redirect', `${otherHome}/`, 301],
  ])('has the same security headers on %s', async (_what, path, expected) => {
    const { status, headers } = await get(path);
    expect(status).toBe(expected);
    expect(headers).toMatchObject({
      'strict-transport-security': 'max-age=63072000; includeSubDomains',
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  });

  it.each([
    ['a cached page', otherHome, {}],
    ['a rendered page', otherHome, { cookie: 'a=b; __Host-notice=expired' }],
    ['an error page', '/no/such/page', {}],
  ])('has the policy of documents on %s', async (_what, path, more) => {
    const { headers } = await get(path, more);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toContainEqual(expect.stringMatching(/^script-src 'self'( '(sha256|nonce)-[\w+/=-]+')+$/));
    expect(policy).toContain("object-src 'none'");
    expect(policy).toContain(`form-action 'self' ${LOGIN}`);
    expect(headers['reporting-endpoints']).toBe('csp="/csp-reports"');
  });

  // threat-model: T-009
  it('has secure cookies, with the prefix __Host- for those that only the server reads', async () => {
    const attempt = (await get('/auth/sign-in')).headers['set-cookie'];
    expect(attempt).toEqual([expect.stringMatching(/^__Host-oauth\.[\w-]{12}=.*; HttpOnly; Secure; /)]);
    const first = await get('/', { 'accept-language': other.code, 'sec-fetch-mode': 'navigate' });
    const language = new RegExp(`^locale=${other.code}; .*; Secure; `);
    expect(first.headers['set-cookie']).toEqual([expect.stringMatching(language)]);
  });

  it('is the same with its default port, for pages and for forms that Remix checks', async () => {
    const host = `${HOST}:443`;
    expect((await get(otherHome, { host })).status).toBe(200);
    const own = { host, origin: `https://${HOST}`, 'content-type': 'application/x-www-form-urlencoded' };
    const signedOut = await stack.send({
      method: 'POST',
      path: examplePath(),
      headers: own,
      body: 'content=a',
    });
    const reference = await stack.send({
      method: 'POST',
      path: examplePath(),
      headers: { ...own, host: HOST },
      body: 'content=a',
    });
    expect(signedOut.status).toBe(reference.status);
    expect((await get(otherHome, { host: `${HOST}:80` })).status).toBe(421);
  });

  it('has https addresses in its pages', async () => {
    const { body } = await get(otherHome);
    expect(body).toContain(`<link rel="canonical" href="https://${HOST}${otherHome}"`);
    expect(body).not.toContain(`http://${HOST}`);
  });
});
