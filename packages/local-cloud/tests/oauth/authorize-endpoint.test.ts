import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createHostedLoginVisitor,
  type HostedLoginStep,
} from '../../../../tests/support/sign-in/hosted-login.ts';
import {
  createOAuthClient,
  type OAuthClient,
  SITE_ORIGIN,
} from '../../../../tests/support/sign-in/oauth-client.ts';
import { type LocalCloud, startLocalCloud } from '../../start.ts';
import { ann } from '../support/signed-up-client.ts';

let cloud: LocalCloud;
let client: OAuthClient;

beforeAll(async () => {
  cloud = await startLocalCloud({ siteOrigins: [SITE_ORIGIN, 'http://localhost:3001'] });
  client = createOAuthClient(cloud);
});
afterAll(() => cloud.close());

const open = (changes: Record<string, string | null>): Promise<HostedLoginStep> =>
  createHostedLoginVisitor(cloud).open(client.authorizeUrl(changes));

describe('an authorization request', () => {
  test.each([
    ['another path', `${SITE_ORIGIN}/auth/callback/`],
    ['another port', 'http://localhost:3002/auth/callback'],
    ['a query', `${SITE_ORIGIN}/auth/callback?next=/`],
    ['another site', 'https://evil.example/auth/callback'],
  ])('is redirected to the error page when the redirect URI has %s', async (_difference, redirectUri) => {
    const step = await open({ redirect_uri: redirectUri });
    expect([step.url.origin, step.url.pathname, step.status]).toEqual([cloud.origin, '/error', 400]);
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
    cloud.faults.set({ requirePkce: true });
    expect((await open(withoutPkce)).url.searchParams.get('error')).toBe('invalid_request');
    cloud.faults.set({});
  });

  test('with a duplicate parameter is rejected', async () => {
    const { url } = await createHostedLoginVisitor(cloud).open(`${client.authorizeUrl()}&state=another`);
    expect(url.searchParams.get('error')).toBe('invalid_request');
  });

  test('is accepted from every registered site', async () => {
    const step = await open({ redirect_uri: 'http://localhost:3001/auth/callback' });
    expect([step.url.pathname, step.status]).toEqual(['/login', 200]);
  });

  test('of a signed-in visitor leads to the sign-in page with prompt=login, and to the site with prompt=none', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    await visitor.signUp(client.authorizeUrl(), ann);
    expect((await visitor.open(client.authorizeUrl({ prompt: 'login' }))).url.pathname).toBe('/login');
    expect(
      (await visitor.open(client.authorizeUrl({ prompt: 'none' }))).url.searchParams.get('code'),
    ).toBeTruthy();
  });

  test('fills in the address in login_hint, escaped', async () => {
    const { html } = await open({ login_hint: '"><script>alert(1)</script>' });
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    expect(html).not.toContain('<script>');
  });
});
