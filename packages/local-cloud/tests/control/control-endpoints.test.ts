import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../../../tests/support/sign-in/oauth-client.ts';
import { type LocalCloud, startLocalCloud } from '../../start.ts';
import { ann } from '../support/signed-up-client.ts';

let cloud: LocalCloud;

beforeAll(async () => {
  cloud = await startLocalCloud({ siteOrigins: [SITE_ORIGIN] });
});
afterAll(() => cloud.close());
afterEach(() => cloud.reset());

const fetchJwks = (init?: RequestInit) =>
  fetch(`${cloud.environment().COGNITO_ISSUER}/.well-known/jwks.json`, init);

describe('control endpoints', () => {
  test.each(['/_reset', '/_faults'])('reject a cross-origin POST to %s', async (path) => {
    const post = (headers: Record<string, string>) =>
      fetch(`${cloud.origin}${path}`, { method: 'POST', headers, body: '{}' });
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ origin: 'null' })).status).toBe(403);
    expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await post({ origin: cloud.origin })).status).toBe(200);
    expect((await post({})).status).toBe(200);
  });

  test.each(['/_outbox', '/_faults', '/_reset'])(
    'reject %s under a host name that is not local',
    async (path) => {
      expect(await statusForHost(path, 'evil.example')).toBe(421);
      expect(await statusForHost(path, 'localhost')).not.toBe(421);
    },
  );

  test('show the emails as a page with escaped contents', async () => {
    await createHostedLoginVisitor(cloud).signUp(createOAuthClient(cloud).authorizeUrl(), {
      ...ann,
      email: "o'hara@example.com",
    });
    const response = await fetch(`${cloud.origin}/_outbox`, { headers: { accept: 'text/html' } });
    expect(response.headers.get('content-type')).toContain('text/html');
    const html = await response.text();
    expect(html).toContain('o&#x27;hara@example.com');
    expect(html).toContain(cloud.emails[0]?.code);
  });

  test('delete users, sessions and emails on a reset, and keep clients and keys', async () => {
    const client = createOAuthClient(cloud);
    const visitor = createHostedLoginVisitor(cloud);
    const { body } = await client.redeem(await visitor.signUp(client.authorizeUrl(), ann));
    const keys = await (await fetchJwks()).text();
    await fetch(`${cloud.origin}/_reset`, { method: 'POST' });
    expect(cloud.emails).toEqual([]);
    expect((await client.refresh(body.refresh_token ?? '')).body).toEqual({ error: 'invalid_grant' });
    expect((await visitor.open(client.authorizeUrl())).url.pathname).toBe('/login');
    await expect(visitor.signIn(client.authorizeUrl(), ann)).rejects.toThrow('Incorrect email or password.');
    expect(await (await fetchJwks()).text()).toBe(keys);
  });
});

/** Returns the status for a `Host` header. `fetch` does not allow setting this header. */
function statusForHost(path: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    httpRequest(`${cloud.origin}${path}`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
