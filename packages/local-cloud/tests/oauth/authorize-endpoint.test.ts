import { describe, expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';
import { ann } from '../support/signed-up-client.ts';

const OTHER_SITE = 'http://localhost:3001';
const local = startLocalCloudForTests([SITE_ORIGIN, OTHER_SITE]);

const authorizeUrl = (changes: Record<string, string | null> = {}) =>
  createOAuthClient(local.cloud).authorizeUrl(changes);
const open = (changes: Record<string, string | null>) =>
  createHostedLoginVisitor(local.cloud).open(authorizeUrl(changes));

describe('an authorization request', () => {
  test.each([
    ['another path', `${SITE_ORIGIN}/auth/callback/`],
    ['a query', `${SITE_ORIGIN}/auth/callback?next=/`],
    ['another site', 'https://evil.example/auth/callback'],
  ])('is redirected to the error page when the redirect URI has %s', async (_difference, redirectUri) => {
    const step = await open({ redirect_uri: redirectUri });
    expect([step.url.origin, step.url.pathname, step.status]).toEqual([local.cloud.origin, '/error', 400]);
    expect(step.url.searchParams.get('error')).toBe('redirect_mismatch');
    expect(step.html).not.toContain('evil.example');
  });

  test('is redirected to the error page when the client is unknown', async () => {
    const step = await open({ client_id: 'unknown' });
    expect([step.url.pathname, step.status]).toEqual(['/error', 400]);
  });

  test.each([
    ['no response_type', { response_type: null }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unauthorized_client'],
    ['a code_challenge_method alone', { code_challenge: null }, 'invalid_request'],
    ['a plain code_challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no code_challenge_method', { code_challenge_method: null }, 'invalid_request'],
    ['a malformed code_challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['a scope that is not allowed', { scope: 'openid admin' }, 'invalid_scope'],
    ['prompt=none with another prompt', { prompt: 'none login' }, 'invalid_request'],
    ['prompt=none and no session', { prompt: 'none' }, 'login_required'],
  ])('with %s is redirected to the site with an error and the state', async (_problem, changes, error) => {
    const { url } = await open(changes);
    expect(url.origin + url.pathname).toBe(`${SITE_ORIGIN}/auth/callback`);
    expect(url.searchParams.get('error')).toBe(error);
    expect(url.searchParams.get('state')).toBe('the-state');
    expect(url.searchParams.has('code')).toBe(false);
  });

  test('without PKCE is accepted, unless the settings require PKCE', async () => {
    const withoutPkce = { code_challenge: null, code_challenge_method: null };
    expect((await open(withoutPkce)).url.pathname).toBe('/login');
    local.cloud.faults.set({ requirePkce: true });
    expect((await open(withoutPkce)).url.searchParams.get('error')).toBe('invalid_request');
  });

  test('with a duplicate parameter is rejected', async () => {
    const { url } = await createHostedLoginVisitor(local.cloud).open(`${authorizeUrl()}&state=another`);
    expect(url.searchParams.get('error')).toBe('invalid_request');
  });

  test('is accepted from every registered site', async () => {
    const step = await open({ redirect_uri: `${OTHER_SITE}/auth/callback` });
    expect([step.url.pathname, step.status]).toEqual(['/login', 200]);
  });

  test('of a signed-in visitor leads to the sign-in page with prompt=login, and to the site with prompt=none', async () => {
    const visitor = createHostedLoginVisitor(local.cloud);
    await visitor.signUp(authorizeUrl(), ann);
    expect((await visitor.open(authorizeUrl({ prompt: 'login' }))).url.pathname).toBe('/login');
    const { url } = await visitor.open(authorizeUrl({ prompt: 'none' }));
    expect(url.searchParams.get('code')).toBeTruthy();
  });

  test('fills in the address in login_hint, escaped', async () => {
    const { html } = await open({ login_hint: '"><script>alert(1)</script>' });
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    expect(html).not.toContain('<script>');
  });
});
