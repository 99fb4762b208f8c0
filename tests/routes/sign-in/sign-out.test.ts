import { describe, expect, it } from 'vitest';
import { type CookieStore, createCookieStore } from '../../support/sign-in/cookie-store.ts';
import { createHostedLoginVisitor } from '../../support/sign-in/hosted-login.ts';
import { noticeOf, sessionCookiesOf, setUpSignInFlow } from '../../support/sign-in/sign-in-flow.ts';
import { APP_ORIGIN } from '../../support/sign-in/signed-in-session.ts';
import { examplePath, other, otherHome } from '../../support/this-site.ts';

const setup = setUpSignInFlow();

describe('signing out', () => {
  const signOut = (browser: CookieStore, returnTo = '/') =>
    setup.site.visit(browser, '/auth/sign-out', { method: 'POST', body: new URLSearchParams({ returnTo }) });

  it('deletes the cookie, revokes the refresh token and redirects to the sign-out of the hosted login', async () => {
    const browser = createCookieStore();
    const visitor = createHostedLoginVisitor(setup.cloud);
    await setup.site.visit(browser, await setup.site.login(await setup.site.begin(browser), visitor));
    const copy = browser.copy();
    setup.cloud.faults.forgetCalls();
    const { status, location, headers } = await signOut(browser);
    expect(status).toBe(303);
    expect(sessionCookiesOf(browser)).toEqual([]);
    expect(headers.get('clear-site-data'), 'drafts, but no preferences').toBe('"storage"');
    expect(setup.cloud.faults.calls.revoke).toBeDefined();
    expect(await setup.site.stateOf(copy)).toBe('anonymous');

    expect(`${location?.origin}${location?.pathname}`).toBe(`${setup.cloud.origin}/logout`);
    expect((await visitor.open(location ?? '')).url.href).toBe(`${APP_ORIGIN}/`);
    expect(noticeOf(browser), 'the next page confirms it').toBe('signed-out');
    expect(
      (await visitor.open(await setup.site.begin(browser))).status,
      'the hosted login requests the password again',
    ).toBe(200);
  });

  it('leads back to the page that the visitor was on, if everybody may open it', async () => {
    const browser = createCookieStore();
    await setup.site.signIn(browser);
    await signOut(browser, `${examplePath(other)}?a=b`);
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' };
    const { context } = await setup.site.visit(browser, examplePath(other), { headers });
    expect(noticeOf(browser)).toBe(
      `signed-out.${Buffer.from(`${examplePath(other)}?a=b`).toString('base64url')}`,
    );
    expect(context.consumeNotice()).toBe('signed-out');
  });

  it('is confirmed by the next document, not by a request that shows nothing', async () => {
    const browser = createCookieStore();
    await setup.site.signIn(browser);
    await signOut(browser);
    /** Requests a page as its loader does, and returns the notice that it would show. */
    const consumeNotice = async (path: string, dest: string | null, method = 'GET', purpose = '') => {
      const headers = {
        ...(dest ? { 'sec-fetch-dest': dest } : {}),
        ...(purpose ? { 'sec-purpose': purpose } : {}),
      };
      const { context } = await setup.site.visit(browser, path, { method, headers });
      const notice = context.consumeNotice();
      browser.receive(context.cookies);
      return notice;
    };
    expect(await consumeNotice(`${otherHome}.data`, 'empty'), 'a prefetch of client-side code').toBeNull();
    expect(await consumeNotice(`${otherHome}.data`, null), 'of a client without Fetch Metadata').toBeNull();
    expect(await consumeNotice(otherHome, 'document', 'GET', 'prefetch;prerender'), 'a prerender').toBeNull();
    expect(await consumeNotice(otherHome, 'document', 'HEAD')).toBeNull();
    expect(await consumeNotice(otherHome, 'document')).toBe('signed-out');
    expect(await consumeNotice(otherHome, 'document'), 'it is shown once').toBeNull();
  });

  // threat-model: T-039
  it('removes the cached AWS credentials of the session', async () => {
    const browser = createCookieStore();
    await setup.site.signIn(browser);
    const { session, identity } = (await setup.site.visit(browser, '/')).context;
    if (session.state !== 'signed-in') throw new TypeError('The visitor is not signed in');
    const isCached = async () =>
      (await identity.credentialsFor(session, new AbortController().signal)).cached;
    await isCached();
    expect(await isCached(), 'before the sign-out').toBe(true);
    await signOut(browser);
    expect(await isCached().catch(() => false), 'after it').toBe(false);
  });

  it('returns to the page with a notice when the hosted login is down', async () => {
    const browser = createCookieStore();
    await setup.site.signIn(browser);
    setup.cloud.faults.set({ faults: [{ service: 'revoke', kind: 'hang' }] });
    const { status, location, headers } = await signOut(browser, examplePath(other));
    expect([status, location?.href]).toEqual([303, `${APP_ORIGIN}${examplePath(other)}`]);
    expect(noticeOf(browser)).toBe('sign-out-incomplete');
    expect(sessionCookiesOf(browser)).toEqual([]);
    expect(headers.get('clear-site-data')).toBe('"storage"');
  });

  // threat-model: T-117
  it.each([
    { kind: 'error', error: 'invalid_client' },
    { kind: 'status', status: 429 },
  ])('does not confirm a sign-out when the hosted login refuses the revocation: $kind', async (fault) => {
    const browser = createCookieStore();
    await setup.site.signIn(browser);
    setup.cloud.faults.set({ faults: [{ service: 'revoke', ...fault }] });
    const { location } = await signOut(browser);
    expect(location?.pathname).toBe('/logout');
    expect(noticeOf(browser)).toBe('sign-out-unconfirmed');
  });

  it('without a valid session deletes its cookies and redirects to the page', async () => {
    const browser = createCookieStore(new Map([['session', 'invalid']]));
    const { status, location, headers } = await signOut(browser, examplePath(other));
    expect([status, location?.href]).toEqual([303, `${APP_ORIGIN}${examplePath(other)}`]);
    expect(headers.get('clear-site-data'), 'no session, nothing to clear').toBeNull();
    expect(sessionCookiesOf(browser)).toEqual([]);
    expect(noticeOf(browser)).toBeNull();
    expect((await signOut(createCookieStore(), '//evil.example')).location?.href).toBe(`${APP_ORIGIN}/`);
  });

  it('works with any body', async () => {
    const browser = createCookieStore();
    await setup.site.signIn(browser);
    await setup.site.visit(browser, '/auth/sign-out', { method: 'POST', body: '{}' });
    expect(sessionCookiesOf(browser)).toEqual([]);
  });

  // threat-model: T-029
  it('is not possible with GET', async () => {
    const browser = createCookieStore();
    await setup.site.signIn(browser);
    const { status, headers } = await setup.site.visit(browser, '/auth/sign-out');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    expect(await setup.site.stateOf(browser)).toBe('signed-in');
  });
});
