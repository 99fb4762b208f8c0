import { get } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient } from '../../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';
import { ann } from '../support/signed-up-client.ts';

const local = startLocalCloudForTests();

describe('control endpoints', () => {
  test.each(['/_reset', '/_faults'])('reject a cross-origin POST to %s', async (path) => {
    const post = async (headers: Record<string, string>) =>
      (await fetch(`${local.cloud.origin}${path}`, { method: 'POST', headers, body: '{}' })).status;
    expect(await post({ origin: 'https://evil.example' })).toBe(403);
    expect(await post({ origin: 'null' })).toBe(403);
    expect(await post({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await post({ 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await post({ origin: local.cloud.origin })).toBe(200);
    expect(await post({})).toBe(200);
  });

  test.each(['/_outbox', '/_faults', '/_reset'])(
    'reject %s under a host name that is not local',
    async (path) => {
      expect(await statusForHost(path, 'evil.example')).toBe(421);
      expect(await statusForHost(path, 'localhost')).not.toBe(421);
    },
  );

  test('show the emails as a page with escaped contents', async () => {
    await createHostedLoginVisitor(local.cloud).signUp(createOAuthClient(local.cloud).authorizeUrl(), {
      ...ann,
      email: "o'hara@example.com",
    });
    const response = await fetch(`${local.cloud.origin}/_outbox`, { headers: { accept: 'text/html' } });
    expect(response.headers.get('content-type')).toContain('text/html');
    const html = await response.text();
    expect(html).toContain('o&#x27;hara@example.com');
    expect(html).toContain(local.cloud.emails[0]?.code);
  });

  test('delete users, sessions and emails on a reset, and keep clients and keys', async () => {
    const fetchKeys = async () =>
      (await fetch(`${local.cloud.environment().COGNITO_ISSUER}/.well-known/jwks.json`)).text();
    const visitor = createHostedLoginVisitor(local.cloud);
    const client = createOAuthClient(local.cloud);
    const { body } = await client.redeem(await visitor.signUp(client.authorizeUrl(), ann));
    const keys = await fetchKeys();
    await fetch(`${local.cloud.origin}/_reset`, { method: 'POST' });
    expect(local.cloud.emails).toEqual([]);
    expect((await client.refresh(body.refresh_token ?? '')).body).toEqual({ error: 'invalid_grant' });
    expect((await visitor.open(client.authorizeUrl())).url.pathname).toBe('/login');
    await expect(visitor.signIn(client.authorizeUrl(), ann)).rejects.toThrow('Incorrect email or password.');
    expect(await fetchKeys()).toBe(keys);
  });
});

/** Returns the status for a `Host` header. `fetch` does not allow setting this header. */
function statusForHost(path: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const url = `${local.cloud.origin}${path}`;
    get(url, { headers: { host } }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
}
