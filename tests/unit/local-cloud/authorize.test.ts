import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalCloud, startLocalCloud } from '../../../local-cloud/start.ts';
import { createHostedLoginVisitor, type HostedLoginStep } from '../../support/sign-in/hosted-login.ts';
import { createOAuthClient, type OAuthClient, SITE_ORIGIN } from '../../support/sign-in/oauth-client.ts';

const ann = { email: 'ann@example.com', password: 'correct horse' };

let cloud: LocalCloud;
let client: OAuthClient;

beforeAll(async () => {
  cloud = await startLocalCloud({ siteOrigins: [SITE_ORIGIN, 'http://localhost:3001'] });
  client = createOAuthClient(cloud);
});
afterAll(() => cloud.close());

const open = (changed: Record<string, string | null>): Promise<HostedLoginStep> =>
  createHostedLoginVisitor(cloud).open(client.authorizeUrl(changed));

describe('an authorization request', () => {
  test.each([
    ['another path', `${SITE_ORIGIN}/auth/callback/`],
    ['another port', 'http://localhost:3002/auth/callback'],
    ['a query', `${SITE_ORIGIN}/auth/callback?next=/`],
    ['another site', 'https://evil.example/auth/callback'],
  ])('with %s than the registered address is answered here, with 400', async (_what, redirectUri) => {
    const step = await open({ redirect_uri: redirectUri });
    expect([step.url.origin, step.url.pathname, step.status]).toEqual([cloud.origin, '/error', 400]);
    expect(step.url.searchParams.get('error')).toBe('redirect_mismatch');
    expect(step.html).not.toContain('evil.example');
  });

  test('of an unknown client is answered here, with 400', async () => {
    const step = await open({ client_id: 'nobody' });
    expect([step.url.pathname, step.status]).toEqual(['/error', 400]);
  });

  test.each([
    ['no response_type', { response_type: null }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unauthorized_client'],
    ['no code_challenge', { code_challenge: null }, 'invalid_request'],
    ['a plain code_challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no code_challenge_method', { code_challenge_method: null }, 'invalid_request'],
    ['a malformed code_challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['a scope that is not allowed', { scope: 'openid admin' }, 'invalid_scope'],
    ['prompt=none with company', { prompt: 'none login' }, 'invalid_request'],
    ['prompt=none and nobody signed in', { prompt: 'none' }, 'login_required'],
  ])('with %s goes back to the site with an error and the state', async (_what, changed, error) => {
    const { url } = await open(changed);
    expect(url.origin + url.pathname).toBe(`${SITE_ORIGIN}/auth/callback`);
    expect(url.searchParams.get('error')).toBe(error);
    expect(url.searchParams.get('state')).toBe('the-state');
    expect(url.searchParams.has('code')).toBe(false);
  });

  test('with a parameter given twice is refused', async () => {
    const { url } = await createHostedLoginVisitor(cloud).open(`${client.authorizeUrl()}&state=another`);
    expect(url.searchParams.get('error')).toBe('invalid_request');
  });

  test('may come from any registered site', async () => {
    const step = await open({ redirect_uri: 'http://localhost:3001/auth/callback' });
    expect([step.url.pathname, step.status]).toEqual(['/login', 200]);
  });

  test('asks again for the password with prompt=login, and asks nothing with prompt=none, once signed in', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    await visitor.signUp(client.authorizeUrl(), ann);
    expect((await visitor.open(client.authorizeUrl({ prompt: 'login' }))).url.pathname).toBe('/login');
    expect(
      (await visitor.open(client.authorizeUrl({ prompt: 'none' }))).url.searchParams.get('code'),
    ).toBeTruthy();
  });

  test('fills in the address that login_hint names, escaped', async () => {
    const { html } = await open({ login_hint: '"><script>alert(1)</script>' });
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    expect(html).not.toContain('<script');
  });
});

describe('the pages', () => {
  test.each([
    [{ lang: 'pt-BR' }, 'pt-BR', 'Entrar'],
    [{ lang: 'zh-TW' }, 'zh-TW', '登入'],
    [{ lang: '__proto__' }, 'en', 'Sign in'],
    [{}, 'en', 'Sign in'],
  ])('speak the language of %j', async (changed, lang, title) => {
    const { html } = await open(changed);
    expect(html).toContain(`<html lang="${lang}">`);
    expect(html).toContain(`<title>${title}</title>`);
  });

  test.each([
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['ar, ja;q=0.4, ko;q=0.5', 'ko'],
    ['zh-Hant', 'zh-TW'],
    ['zh', 'zh-CN'],
    ['pt-PT', 'pt-BR'],
    ['fr;q=0, *', 'en'],
    [`${'x'.repeat(20_000)};q=1`, 'en'],
  ])('speak the best language for Accept-Language %s', async (header, lang) => {
    const { html } = await createHostedLoginVisitor(cloud, {
      'accept-language': header.slice(0, 8_000),
    }).open(client.authorizeUrl());
    expect(html).toContain(`<html lang="${lang}">`);
  });

  test('remember the language that was asked for', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    await visitor.open(client.authorizeUrl({ lang: 'it' }));
    expect((await visitor.open(client.authorizeUrl())).html).toContain('<html lang="it">');
  });

  test('allow no script, no frame and no form to another site', async () => {
    const response = await fetch(client.authorizeUrl().replace('/oauth2/authorize', '/login'));
    expect(await response.text()).not.toContain('<script');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`form-action 'self' ${SITE_ORIGIN};`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(response.headers.get('cache-control')).toBe('no-store');
    for (const cookie of response.headers.getSetCookie()) expect(cookie).toContain('HttpOnly; SameSite=Lax');
  });
});

describe('signing out', () => {
  const logout = (params: Record<string, string>) =>
    `${cloud.origin}/logout?${new URLSearchParams({ client_id: client.id, ...params })}`;

  test('ends the hosted login’s session and leads to the registered address', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    await visitor.signIn(client.authorizeUrl(), ann);
    expect((await visitor.open(logout({ logout_uri: `${SITE_ORIGIN}/` }))).url.href).toBe(`${SITE_ORIGIN}/`);
    expect((await visitor.open(client.authorizeUrl())).url.pathname).toBe('/login');
  });

  test('does not lead to an address that is not registered, and ends nothing', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    await visitor.signIn(client.authorizeUrl(), ann);
    const step = await visitor.open(logout({ logout_uri: 'https://evil.example/' }));
    expect([step.url.pathname, step.status]).toEqual(['/error', 400]);
    expect((await visitor.open(client.authorizeUrl())).url.origin).toBe(SITE_ORIGIN);
  });

  test('leads to signing in again when it names a callback', async () => {
    const visitor = createHostedLoginVisitor(cloud);
    await visitor.signIn(client.authorizeUrl(), ann);
    const step = await visitor.open(client.authorizeUrl().replace('/oauth2/authorize', '/logout'));
    expect([step.url.pathname, step.status]).toEqual(['/login', 200]);
  });
});
