import { describe, expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloud } from '../../start.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';

const local = startLocalCloudForTests();

const authorizeUrl = (changes: Record<string, string | null> = {}) =>
  createOAuthClient(local.cloud).authorizeUrl(changes);
const open = (changes: Record<string, string | null>) =>
  createHostedLoginVisitor(local.cloud).open(authorizeUrl(changes));

describe('the pages of the hosted login', () => {
  test.each([
    [{ lang: 'pt-BR' }, 'pt-BR', 'Entrar'],
    [{ lang: 'zh-TW' }, 'zh-TW', '登入'],
    [{ lang: '__proto__' }, 'en', 'Sign in'],
    [{}, 'en', 'Sign in'],
  ])('have the language of the parameters %j', async (changes, lang, title) => {
    const { html } = await open(changes);
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
  ])('have the best language for Accept-Language %s', async (header, lang) => {
    const { html } = await createHostedLoginVisitor(local.cloud, {
      'accept-language': header.slice(0, 8_000),
    }).open(authorizeUrl());
    expect(html).toContain(`<html lang="${lang}">`);
  });

  test('keep the language of an earlier lang parameter', async () => {
    const visitor = createHostedLoginVisitor(local.cloud);
    await visitor.open(authorizeUrl({ lang: 'it' }));
    expect((await visitor.open(authorizeUrl())).html).toContain('<html lang="it">');
  });

  test('name the site if it has a name, and its host otherwise', async () => {
    expect((await open({})).html).toContain(`to continue to ${new URL(SITE_ORIGIN).host}`);
    const named = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], siteName: 'Tenfold' });
    const { html } = await createHostedLoginVisitor(named).open(createOAuthClient(named).authorizeUrl());
    await named.close();
    expect(html).toContain('to continue to Tenfold');
  });

  test('allow no scripts but their own, no frames and no forms to other sites', async () => {
    const response = await fetch(authorizeUrl().replace('/oauth2/authorize', '/login'));
    const scripts = (await response.text()).match(/<script[^>]*>/g);
    expect(scripts).toEqual(['<script type="module" src="/_assets/show-password.js">']);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain(`form-action 'self' ${SITE_ORIGIN};`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(response.headers.get('cache-control')).toBe('no-store');
    for (const cookie of response.headers.getSetCookie()) expect(cookie).toContain('HttpOnly; SameSite=Lax');
  });
});
