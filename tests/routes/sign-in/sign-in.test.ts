import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { findSecret } from '../../support/secrets/secret-detection.ts';
import { createCookieStore } from '../../support/sign-in/cookie-store.ts';
import { createHostedLoginVisitor } from '../../support/sign-in/hosted-login.ts';
import {
  ada,
  attemptCookiesOf,
  createSignInFlow,
  noticeOf,
  type SignInFlow,
  startCloudWithAda,
} from '../../support/sign-in/sign-in-flow.ts';
import { APP_ORIGIN, siteEnv } from '../../support/sign-in/signed-in-session.ts';

let cloud: LocalCloud;
let site: SignInFlow;

beforeAll(async () => {
  cloud = await startCloudWithAda();
  site = createSignInFlow(cloud);
});
afterEach(() => cloud.faults.set({}));
afterAll(() => cloud.close());

describe('signing in', () => {
  it('goes to the hosted login and comes back to the page, signed in', async () => {
    const browser = createCookieStore();
    const callback = await site.signIn(browser, '/ar/test-message?page=2#last');
    expect(callback.status).toBe(302);
    expect(callback.location?.href).toBe(`${APP_ORIGIN}/ar/test-message?page=2#last`);
    const { context } = await site.visit(browser, '/');
    expect(context.session).toMatchObject({ state: 'signed-in', user: { email: ada.email } });
    expect(attemptCookiesOf(browser)).toEqual([]);
    expect(noticeOf(browser)).toBeNull();
  });

  it("asks for a code with PKCE, state and nonce, in the visitor's language", async () => {
    const { pathname, searchParams } = await site.begin(createCookieStore(), '/pt/test-message');
    expect(pathname).toBe('/oauth2/authorize');
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: siteEnv(cloud).userPool.clientId,
      redirect_uri: `${APP_ORIGIN}/auth/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      lang: 'pt-BR',
    });
    for (const returnTo of ['/ar', '/ru', '/hi']) {
      expect((await site.begin(createCookieStore(), returnTo)).searchParams.get('lang')).toBeNull();
    }
  });

  it('for the first time goes to the page for new users, with the same parameters', async () => {
    const browser = createCookieStore();
    const { location } = await site.visit(browser, '/auth/sign-up?returnTo=/de');
    expect(location?.pathname).toBe('/signup');
    expect([...(location?.searchParams.keys() ?? [])]).toEqual([
      ...(await site.begin(createCookieStore())).searchParams.keys(),
    ]);
    const visitor = createHostedLoginVisitor(cloud);
    const bob = { email: 'bob@example.com', password: 'Correct-Horse-8' };
    const confirm = await visitor.submit(await visitor.open(location ?? ''), bob);
    const code = cloud.emails.find(({ to }) => to === bob.email)?.code ?? '';
    const back = await site.visit(browser, (await visitor.submit(confirm, { code })).url);
    expect(back.location?.pathname).toBe('/de');
    expect(await site.stateOf(browser)).toBe('signed-in');
  });

  it.each(['plain', 'public'] as const)('works with the %s client too', async (client) => {
    const at = createSignInFlow(cloud, { client });
    const browser = createCookieStore();
    await at.signIn(browser, '/');
    expect(await at.stateOf(browser)).toBe('signed-in');
  });

  it.each([-10, 10])('works on a machine whose clock is %i minutes off', async (minutes) => {
    const at = createSignInFlow(cloud, { clock: () => Date.now() + minutes * 60_000 });
    const browser = createCookieStore();
    await at.signIn(browser, '/');
    expect(await at.stateOf(browser)).toBe('signed-in');
  });

  it('works with plain cookies for browsers that refuse the others on plain http', async () => {
    const at = createSignInFlow(cloud, { environment: { SESSION_COOKIE_SECURE: 'false' } });
    const browser = createCookieStore();
    await at.begin(browser);
    expect([...browser.cookies.keys()]).toEqual([expect.stringMatching(/^oauth\./)]);
    const { setCookies } = await at.signIn(browser);
    expect([...browser.cookies.keys()]).toEqual(expect.arrayContaining(['session', 'session.1']));
    expect(setCookies.join()).not.toMatch(/Secure|__Host-/);
    expect(await at.stateOf(browser)).toBe('signed-in');
  });

  it('again goes straight back', async () => {
    const browser = createCookieStore();
    await site.signIn(browser);
    for (const page of ['in', 'up']) {
      const again = await site.visit(browser, `/auth/sign-${page}?returnTo=/fr`);
      expect([again.status, again.location?.href, again.setCookies]).toEqual([302, `${APP_ORIGIN}/fr`, []]);
    }
  });

  it('works from two tabs at once, in either order', async () => {
    const browser = createCookieStore();
    const [first, second] = [await site.begin(browser, '/fr'), await site.begin(browser, '/de')];
    expect(attemptCookiesOf(browser)).toHaveLength(2);
    const visitor = createHostedLoginVisitor(cloud);
    const secondBack = await site.login(second, visitor);
    const firstBack = (await visitor.open(first)).url;
    const cookies = browser.copy();
    expect((await site.visit(browser, secondBack)).location?.pathname).toBe('/de');
    expect((await site.visit(cookies, firstBack)).location?.pathname).toBe('/fr');
    expect(await site.stateOf(cookies)).toBe('signed-in');
  });

  // threat-model: T-011
  it('keeps five unfinished attempts at most, and the newest of them work', async () => {
    let now = Date.now();
    const at = createSignInFlow(cloud, { clock: () => now });
    const browser = createCookieStore();
    const begun: URL[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      now += 1000;
      begun.push(await at.begin(browser, `/?attempt=${attempt}&${'x'.repeat(400)}`));
    }
    expect(attemptCookiesOf(browser)).toHaveLength(5);
    expect(browser.request().headers.get('cookie')?.length).toBeLessThan(6000);
    const back = await at.visit(browser, await site.login(begun.at(-5) ?? new URL('about:blank')));
    expect(back.location?.searchParams.get('attempt')).toBe('7');
    const early = await at.visit(browser, await site.login(begun[0] ?? new URL('about:blank')));
    expect(early.location?.pathname).toBe('/');
  });

  it("keeps cookies from the hosted login's site if they are Strict, and goes on from a page of its own", async () => {
    const at = createSignInFlow(cloud, { environment: { SESSION_COOKIE_SAME_SITE: 'strict' } });
    const browser = createCookieStore();
    const callback = await at.signIn(browser, `/fr?q="><script>alert(1)</script>&a='b`);
    expect(callback.status).toBe(200);
    expect(callback.body).toContain('http-equiv="refresh"');
    expect(callback.body).not.toMatch(/<script|q="/);
    expect(await at.stateOf(browser)).toBe('signed-in');
  });

  it('answers nothing that a cache may keep, and nothing to a prefetch', async () => {
    const browser = createCookieStore();
    const { headers } = await site.visit(browser, '/auth/sign-in');
    expect(headers.get('cache-control')).toBe('private, no-store');
    const before = attemptCookiesOf(browser);
    for (const init of [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }]) {
      const prefetch = await site.visit(browser, '/auth/sign-in', { headers: init });
      expect(prefetch.status).toBe(403);
    }
    expect(attemptCookiesOf(browser)).toEqual(before);
  });

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/auth/sign-out'])(
    'never leads to %s',
    async (returnTo) => {
      const back = await site.signIn(createCookieStore(), returnTo);
      expect(back.location?.href).toBe(`${APP_ORIGIN}/`);
    },
  );
});

describe('the methods', () => {
  it.each(['/auth/sign-in', '/auth/sign-up', '/auth/callback'])('of %s are GET', async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'HEAD']) {
      const { status, headers } = await site.visit(createCookieStore(), path, { method });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET']);
    }
  });

  it('of the sign-out are POST', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'GET', 'HEAD']) {
      const { status, headers } = await site.visit(createCookieStore(), '/auth/sign-out', { method });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });
});

describe('the log', () => {
  it('holds no token, whatever happened above', () => {
    expect(site.log()).not.toBe('');
    expect(findSecret(site.log())).toBeNull();
  });

  it('of a session names it by a hash, never by its id', async () => {
    const browser = createCookieStore();
    await site.signIn(browser);
    const { session } = (await site.visit(browser, '/')).context;
    if (session.state !== 'signed-in') throw new Error('not signed in');
    expect(site.log()).toContain('session started');
    expect(site.log()).not.toContain(session.id);
  });
});
