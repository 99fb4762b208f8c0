import { describe, expect, it } from 'vitest';
import { isHostedLoginTranslated } from '../../../app/i18n/hosted-login.ts';
import { locales } from '../../../app/i18n/locales.ts';
import { findSecret } from '../../support/secrets/secret-detection.ts';
import { createCookieStore } from '../../support/sign-in/cookie-store.ts';
import { createHostedLoginVisitor, emailedCode, PASSWORD } from '../../support/sign-in/hosted-login.ts';
import {
  ada,
  attemptCookiesOf,
  createSignInFlow,
  noticeOf,
  setUpSignInFlow,
} from '../../support/sign-in/sign-in-flow.ts';
import { APP_ORIGIN, siteEnv } from '../../support/sign-in/signed-in-session.ts';
import { another, examplePath, otherHome } from '../../support/this-site.ts';

const setup = setUpSignInFlow();

describe('signing in', () => {
  it('redirects to the hosted login and returns to the page', async () => {
    const browser = createCookieStore();
    const callback = await setup.site.signIn(browser, `${examplePath(another)}?page=2#last`);
    expect(callback.status).toBe(302);
    expect(callback.location?.href).toBe(`${APP_ORIGIN}${examplePath(another)}?page=2#last`);
    const { context } = await setup.site.visit(browser, '/');
    expect(context.session).toMatchObject({ state: 'signed-in', user: { email: ada.email } });
    expect(attemptCookiesOf(browser)).toEqual([]);
    expect(noticeOf(browser)).toBeNull();
  });

  it('requests a code with PKCE, state and nonce, in the language of the page', async () => {
    for (const locale of locales.filter(({ code }) => isHostedLoginTranslated(code))) {
      const { pathname, searchParams } = await setup.site.begin(createCookieStore(), examplePath(locale));
      expect(pathname).toBe('/oauth2/authorize');
      expect(Object.fromEntries(searchParams)).toEqual({
        response_type: 'code',
        client_id: siteEnv(setup.cloud).userPool.clientId,
        redirect_uri: `${APP_ORIGIN}/auth/callback`,
        scope: 'openid email profile',
        state: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        lang: expect.stringMatching(new RegExp(`^${locale.code}(-|$)`)),
      });
    }
  });

  it('for new users redirects to the sign-up page', async () => {
    const browser = createCookieStore();
    const { location } = await setup.site.visit(browser, `/auth/sign-up?returnTo=${otherHome}`);
    expect(location?.pathname).toBe('/signup');
    const visitor = createHostedLoginVisitor(setup.cloud);
    const bob = { email: 'bob@example.com', password: PASSWORD };
    const confirm = await visitor.submit(await visitor.open(location ?? ''), bob);
    const code = emailedCode(setup.cloud, bob.email);
    const back = await setup.site.visit(browser, (await visitor.submit(confirm, { code })).url);
    expect(back.location?.pathname).toBe(otherHome);
    expect(await setup.site.stateOf(browser)).toBe('signed-in');
  });

  it.each(['plain', 'public'] as const)('works with the %s client', async (client) => {
    const ownSite = createSignInFlow(setup.cloud, { client });
    const browser = createCookieStore();
    await ownSite.signIn(browser, '/');
    expect(await ownSite.stateOf(browser)).toBe('signed-in');
  });

  it.each([-10, 10])('works on a machine whose clock is wrong by %i minutes', async (minutes) => {
    const ownSite = createSignInFlow(setup.cloud, { clock: () => Date.now() + minutes * 60_000 });
    const browser = createCookieStore();
    await ownSite.signIn(browser, '/');
    expect(await ownSite.stateOf(browser)).toBe('signed-in');
  });

  it('redirects a signed-in visitor back at once', async () => {
    const browser = createCookieStore();
    await setup.site.signIn(browser);
    for (const page of ['in', 'up']) {
      const again = await setup.site.visit(browser, `/auth/sign-${page}?returnTo=${otherHome}`);
      expect(again).toMatchObject({ status: 302, setCookies: [] });
      expect(again.location?.href).toBe(APP_ORIGIN + otherHome);
    }
  });

  it('works in two tabs at the same time, in either order', async () => {
    const browser = createCookieStore();
    const first = await setup.site.begin(browser, otherHome);
    const second = await setup.site.begin(browser, '/');
    expect(attemptCookiesOf(browser)).toHaveLength(2);
    const visitor = createHostedLoginVisitor(setup.cloud);
    const secondBack = await setup.site.login(second, visitor);
    const firstBack = (await visitor.open(first)).url;
    const cookies = browser.copy();
    expect((await setup.site.visit(browser, secondBack)).location?.pathname).toBe('/');
    expect((await setup.site.visit(cookies, firstBack)).location?.pathname).toBe(otherHome);
    expect(await setup.site.stateOf(cookies)).toBe('signed-in');
  });

  // threat-model: T-011
  it('keeps the five newest unfinished attempts', async () => {
    let now = Date.now();
    const ownSite = createSignInFlow(setup.cloud, { clock: () => now });
    const browser = createCookieStore();
    const authorizeUrls: URL[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      now += 1000;
      authorizeUrls.push(await ownSite.begin(browser, `/?attempt=${attempt}&${'x'.repeat(400)}`));
    }
    expect(attemptCookiesOf(browser)).toHaveLength(5);
    expect(browser.request().headers.get('cookie')?.length).toBeLessThan(6000);
    const finish = async (attempt: number) => {
      const callback = await setup.site.login(authorizeUrls[attempt] ?? new URL('about:blank'));
      return (await ownSite.visit(browser, callback)).location;
    };
    expect((await finish(7))?.searchParams.get('attempt')).toBe('7');
    expect((await finish(0))?.search).toBe('');
  });

  it('with SameSite=Strict cookies responds with a page that navigates to the target', async () => {
    const ownSite = createSignInFlow(setup.cloud, { environment: { SESSION_COOKIE_SAME_SITE: 'strict' } });
    const browser = createCookieStore();
    const callback = await ownSite.signIn(browser, `${otherHome}?q="><script>alert(1)</script>&a='b`);
    expect(callback.status).toBe(200);
    expect(callback.body).toContain('http-equiv="refresh"');
    expect(callback.body).not.toMatch(/<script|q="/);
    expect(await ownSite.stateOf(browser)).toBe('signed-in');
  });

  it.each(['//evil.example', '/auth/sign-out'])('never redirects to %s', async (returnTo) => {
    const back = await setup.site.signIn(createCookieStore(), returnTo);
    expect(back.location?.href).toBe(`${APP_ORIGIN}/`);
  });
});

describe('the allowed methods', () => {
  const allowedFor = async (path: string, method: string) => {
    const { status, headers } = await setup.site.visit(createCookieStore(), path, { method });
    return [status, headers.get('allow')];
  };

  it('of the callback are GET', async () => {
    for (const method of ['POST', 'HEAD']) {
      expect(await allowedFor('/auth/callback', method), method).toEqual([405, 'GET']);
    }
  });

  it('of the sign-out are POST', async () => {
    for (const method of ['PUT', 'GET', 'HEAD']) {
      expect(await allowedFor('/auth/sign-out', method), method).toEqual([405, 'POST']);
    }
  });
});

describe('the log', () => {
  it('contains no token after all tests above', () => {
    expect(setup.site.log()).not.toBe('');
    expect(findSecret(setup.site.log())).toBeNull();
  });

  it('names a session by a hash, never by its id', async () => {
    const browser = createCookieStore();
    await setup.site.signIn(browser);
    const { session } = (await setup.site.visit(browser, '/')).context;
    if (session.state !== 'signed-in') throw new Error('The visitor is not signed in');
    expect(setup.site.log()).toContain('session started');
    expect(setup.site.log()).not.toContain(session.id);
  });
});
