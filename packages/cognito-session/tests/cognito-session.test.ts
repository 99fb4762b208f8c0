/** The wrappers of loaders and actions, at a user pool whose responses the tests script. */

import { data, redirect } from '@remix-run/node';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { createCookieStore } from '../../../tests/support/sign-in/cookie-store.ts';
import { refreshResponse } from '../../../tests/support/sign-in/due-visitor.ts';
import { claimsIssuedAt, createRefreshToken } from '../../../tests/support/upstreams/scripted-user-pool.ts';
import { shareUserPool } from '../../../tests/support/upstreams/shared-user-pool.ts';
import { isResponse } from '../src/delivery.ts';
import { createCognitoSession, createResponseCookies } from '../src/index.ts';
import type { CognitoSessionOptions } from '../src/options.ts';
import { sealSession } from '../src/testing.ts';

const APP_ORIGIN = 'https://site.example';
const SUB = 'a1b2c3d4-0000-4000-8000-00000000ada0';

const pool = await shareUserPool();
const silent = { debug() {}, info() {}, warn() {}, error() {} };

function optionsFor(changes: Partial<CognitoSessionOptions> = {}): CognitoSessionOptions {
  const { clientSecret, ...userPool } = pool.userPool();
  return {
    appOrigin: APP_ORIGIN,
    secrets: ['first-9f3kd02mzQpwL4vX8hTyRu6BnCsEaJg'],
    userPool: { ...userPool, clientSecret: clientSecret ?? undefined },
    log: silent,
    ...changes,
  };
}

const open = (changes: Partial<CognitoSessionOptions> = {}) => createCognitoSession(optionsFor(changes));

/** The `Cookie` header of a visitor, whose tokens have expired with `isDue`. */
const visitor = ({ isDue = false, sub = SUB } = {}) =>
  sealSession(optionsFor(), {
    user: { sub, email: 'ada@example.com' },
    tokens: { refreshToken: createRefreshToken() },
    expiresIn: isDue ? 0 : 3600,
  });

const argsOf = (
  path: string,
  { cookie = '', context = {}, ...init }: RequestInit & { cookie?: string; context?: object } = {},
) => ({
  request: new Request(APP_ORIGIN + path, { ...init, headers: { cookie, ...init.headers } }),
  params: {},
  context: Object.assign(context),
});

function scriptRefresh() {
  pool.script({
    api: async () => {
      const claims = claimsIssuedAt(Date.now());
      return refreshResponse({
        accessToken: await pool.accessToken(claims),
        idToken: await pool.idToken(claims),
        refreshToken: createRefreshToken(),
      });
    },
  });
}

const headersOf = (result: unknown) => {
  if (result instanceof Response) return result.headers;
  const init = typeof result === 'object' && result !== null && 'init' in result ? result.init : null;
  const headers = typeof init === 'object' && init !== null && 'headers' in init ? init.headers : null;
  return headers instanceof Headers ? headers : new Headers();
};
const namesIn = (result: unknown) =>
  headersOf(result)
    .getSetCookie()
    .map((line) => line.split('=', 1)[0]);
const SESSION_COOKIES = ['__Host-session'];

/** Returns what a promise rejects with. */
const thrownBy = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it did not throw'),
    (thrown: unknown) => thrown,
  );

describe('a wrapped loader', () => {
  it('gets the session of its visitor', async () => {
    const loader = open().withSession(({ session }) => session);
    expect((await loader(argsOf('/'))).data).toEqual({ state: 'anonymous' });
    expect((await loader(argsOf('/', { cookie: await visitor() }))).data).toMatchObject({
      state: 'signed-in',
      user: { sub: SUB, email: 'ada@example.com', name: null, groups: [] },
    });
  });

  it('keeps the type of its value, which may be a Date', async () => {
    const loader = open().withSession(() => ({ at: new Date(0) }));
    const { data: value } = await loader(argsOf('/'));
    expectTypeOf(value).toEqualTypeOf<{ at: Date }>();
    expect(value.at).toEqual(new Date(0));
  });

  it.each([
    ['a value', (): unknown => ({ a: 1 })],
    ['nothing', () => undefined],
    ['data()', () => data({ a: 1 }, { status: 201, headers: { 'x-own': '1' } })],
    ['a response', () => new Response('text')],
    ['a redirect', () => redirect('/there')],
    ['a redirect whose headers are immutable', () => Response.redirect(`${APP_ORIGIN}/there`)],
  ])('puts the refreshed cookie on %s, returned or thrown', async (_name, create) => {
    scriptRefresh();
    const auth = open();
    const cookie = await visitor({ isDue: true });
    const returned = await auth.withSession(create)(argsOf('/', { cookie }));
    expect(namesIn(returned)).toEqual(SESSION_COOKIES);
    expect(headersOf(returned).get('cache-control')).toBe('private, no-store');
    const value = create();
    if (!isResponse(value)) return;
    const throwing = auth.withSession(() => {
      throw create();
    });
    expect(namesIn(await thrownBy(throwing(argsOf('/', { cookie }))))).toEqual(SESSION_COOKIES);
  });

  it('keeps the status, the body and the headers of what it returns', async () => {
    scriptRefresh();
    const auth = open();
    const args = argsOf('/', { cookie: await visitor({ isDue: true }) });
    const response = await auth.withSession(() => new Response('text', { status: 418 }))(args);
    expect([response.status, await response.text()]).toEqual([418, 'text']);
    const own = data({ a: 1 }, { status: 201, headers: { 'x-own': '1', 'set-cookie': 'own=1' } });
    const result = await auth.withSession(() => own)(args);
    expect([result.data, result.init?.status, headersOf(result).get('x-own')]).toEqual([{ a: 1 }, 201, '1']);
    expect(namesIn(result)).toEqual(['own', ...SESSION_COOKIES]);
  });

  it('throws errors as they are', async () => {
    const error = new Error('own');
    const loader = open().withSession(() => {
      throw error;
    });
    expect(await thrownBy(loader(argsOf('/')))).toBe(error);
  });

  it('leaves the responses to anonymous visitors to the rules of the app', async () => {
    const loader = open().withSession(() =>
      data(null, { headers: { 'cache-control': 'public, max-age=60' } }),
    );
    expect(headersOf(await loader(argsOf('/'))).get('cache-control')).toBe('public, max-age=60');
  });
});

describe('the loaders of one request', () => {
  it('open the session once, and set equal cookies', async () => {
    scriptRefresh();
    const auth = open({ limits: { recheckAfter: 60 } });
    const [cookie, context] = [await visitor({ isDue: true }), {}];
    const loaders = ['root', 'leaf'].map((name) => auth.withSession(() => name));
    const results = await Promise.all(loaders.map((loader) => loader(argsOf('/', { cookie, context }))));
    const [root, leaf] = results.map((result) => headersOf(result).getSetCookie());
    expect(root).toHaveLength(1);
    expect(leaf).toEqual(root);
    expect(pool.received.api).toHaveLength(1);
  });

  // threat-model: T-125
  it('do not get the session of another request with the same load context', async () => {
    const auth = open();
    const context = {};
    const loader = auth.withSession(async ({ session }) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return session.state === 'signed-in' ? session.user.sub : session.state;
    });
    const cookies = [await visitor({ sub: 'ada' }), await visitor({ sub: 'bob' }), ''];
    const results = await Promise.all(cookies.map((cookie) => loader(argsOf('/', { cookie, context }))));
    expect(results.map((result) => result.data)).toEqual(['ada', 'bob', 'anonymous']);
  });

  it('do not get a session that an earlier request with the same load context has ended', async () => {
    pool.script({ revoke: () => ({}) });
    const auth = open();
    const [cookie, context] = [await visitor(), {}];
    const loader = auth.withSession(({ session }) => session.state);
    expect((await loader(argsOf('/', { cookie, context }))).data).toBe('signed-in');
    await auth.signOut(argsOf('/auth/sign-out', { cookie, context, ...form }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await loader(argsOf('/', { cookie, context }))).data).toBe('anonymous');
  });
});

const form = { method: 'POST', headers: { origin: APP_ORIGIN, 'sec-fetch-site': 'same-origin' } };

describe('an unsafe request', () => {
  // threat-model: T-050
  it.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sibling of the site', { origin: 'https://evil.site.example', 'sec-fetch-site': 'same-site' }],
    ['a client that names no origin', {}],
  ])('of %s is rejected before the action runs', async (_name, headers) => {
    const auth = open();
    const run = vi.fn();
    const args = argsOf('/', { cookie: await visitor(), method: 'POST', headers });
    for (const action of [auth.withSession(run), auth.withUser(run), auth.signOut]) {
      expect(await thrownBy(action(args))).toMatchObject({ status: 403 });
    }
    expect(run).not.toHaveBeenCalled();
  });

  it('of the site reaches the action', async () => {
    const action = open().withUser(({ session }) => session.user.sub);
    expect((await action(argsOf('/', { cookie: await visitor(), ...form }))).data).toBe(SUB);
  });
});

describe('a loader for signed-in visitors', () => {
  it('redirects the document of another visitor to the sign-in and back', async () => {
    const run = vi.fn();
    const thrown = await thrownBy(open().withUser(run)(argsOf('/notes?page=2')));
    expect(thrown).toMatchObject({ status: 302 });
    expect(headersOf(thrown).get('location')).toBe('/auth/sign-in?returnTo=%2Fnotes%3Fpage%3D2');
    expect(run).not.toHaveBeenCalled();
  });

  it('responds with 401 to client-side code', async () => {
    const args = argsOf('/notes', { headers: { 'sec-fetch-dest': 'empty' } });
    expect(await thrownBy(open().withUser(vi.fn())(args))).toMatchObject({ status: 401 });
  });

  it('tells the browser of a session that has ended', async () => {
    pool.script({
      api: () => ({
        status: 400,
        body: { __type: 'NotAuthorizedException', message: 'Invalid Refresh Token.' },
      }),
      token: () => ({ status: 400, body: { error: 'invalid_grant' } }),
    });
    const args = argsOf('/notes', { cookie: await visitor({ isDue: true }) });
    const thrown = await thrownBy(open().withUser(vi.fn())(args));
    expect(thrown).toMatchObject({ status: 302 });
    expect(namesIn(thrown)).toEqual(SESSION_COOKIES);
  });
});

describe('the sign-in', () => {
  /** One browser, and a user pool that redeems each `state` as its code. */
  function openBrowser(changes: Partial<CognitoSessionOptions> = {}) {
    const auth = open(changes);
    const browser = createCookieStore(new Map([['own', '1']]));
    const visit = async (handler: typeof auth.signIn, path: string, init: RequestInit = {}) => {
      const response = await handler(argsOf(path, { cookie: browser.header(), ...init }));
      browser.receive({ lines: () => response.headers.getSetCookie() });
      return response;
    };
    const locationOf = (response: Response) => response.headers.get('location') ?? '';
    let nonce = '';
    pool.script({
      revoke: () => ({}),
      token: async () => {
        const claims = { ...claimsIssuedAt(Date.now()), nonce };
        return {
          body: {
            access_token: await pool.accessToken(claims),
            id_token: await pool.idToken(claims),
            refresh_token: createRefreshToken(),
            token_type: 'Bearer',
          },
        };
      },
    });
    return {
      auth,
      browser,
      visit,
      locationOf,
      async begin(path: string, handler = auth.signIn) {
        const url = new URL(locationOf(await visit(handler, path)));
        nonce = url.searchParams.get('nonce') ?? '';
        return url;
      },
      callback: (begun: URL, path = '/auth/callback', response: Record<string, string> = { code: 'c' }) => {
        const state = begun.searchParams.get('state') ?? '';
        return visit(auth.callback, `${path}?${new URLSearchParams({ state, ...response })}`);
      },
      state: async () =>
        (await auth.withSession(({ session }) => session.state)(argsOf('/', { cookie: browser.header() })))
          .data,
    };
  }

  it('starts a session, returns to the page, and the sign-out ends both sessions', async () => {
    const { auth, begin, callback, visit, locationOf, state } = openBrowser();
    const begun = await begin('/auth/sign-in?returnTo=/notes?page=2');
    expect(begun.pathname).toBe('/oauth2/authorize');
    expect(begun.searchParams.get('redirect_uri')).toBe(`${APP_ORIGIN}/auth/callback`);
    const response = await callback(begun);
    expect([response.status, locationOf(response)]).toEqual([302, '/notes?page=2']);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(await state()).toBe('signed-in');
    const signedOut = await visit(auth.signOut, '/auth/sign-out', form);
    expect(signedOut.status).toBe(303);
    expect(new URL(locationOf(signedOut)).searchParams.get('logout_uri')).toBe(`${APP_ORIGIN}/`);
    expect(pool.received.revoke).toHaveLength(1);
    expect(await state()).toBe('anonymous');
  });

  it('begins at the page for new users, in the language of the app', async () => {
    const { auth, begin } = openBrowser({ language: (path) => (path.startsWith('/fr') ? 'fr' : null) });
    const begun = await begin('/auth/sign-up?returnTo=/fr/notes', auth.signUp);
    expect([begun.pathname, begun.searchParams.get('lang')]).toEqual(['/signup', 'fr']);
  });

  it('uses the paths of the app, and never returns to them', async () => {
    const paths = { signIn: '/login', callback: '/login/done' };
    const { auth, begin, callback, locationOf, state } = openBrowser({ paths });
    const begun = await begin('/login?returnTo=/LOGIN/done?code=x');
    expect(begun.searchParams.get('redirect_uri')).toBe(`${APP_ORIGIN}/login/done`);
    expect(locationOf(await callback(begun, '/login/done'))).toBe('/');
    expect(await state()).toBe('signed-in');
    const thrown = await thrownBy(auth.withUser(vi.fn())(argsOf('/notes')));
    expect(headersOf(thrown).get('location')).toBe('/login?returnTo=%2Fnotes');
  });

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/auth/sign-out'])(
    'returns to / instead of %s',
    async (returnTo) => {
      const { begin, callback, locationOf } = openBrowser();
      const begun = await begin(`/auth/sign-in?${new URLSearchParams({ returnTo })}`);
      expect(locationOf(await callback(begun))).toBe('/');
    },
  );

  it('of a visitor who cancels it gets the response of the app', async () => {
    const onSignInError = vi.fn(() => redirect('/sorry'));
    const { begin, callback, locationOf, state } = openBrowser({ onSignInError });
    const begun = await begin('/auth/sign-in?returnTo=/notes');
    const response = await callback(begun, undefined, { error: 'access_denied' });
    expect(locationOf(response)).toBe('/sorry');
    expect(onSignInError).toHaveBeenCalledWith(
      expect.objectContaining({ code: 'cancelled', returnTo: '/notes' }),
    );
    expect(await state()).toBe('anonymous');
  });

  it('that no browser has begun is refused, with a text by default', async () => {
    const { callback, state } = openBrowser();
    const response = await callback(new URL('https://login.example/?state=made-up'));
    expect([response.status, await response.text()]).toEqual([400, 'You are not signed in: expired.\n']);
    expect(await state()).toBe('anonymous');
  });

  it('is not begun by a prefetch or another method', async () => {
    const { auth, visit } = openBrowser();
    const prefetch = { headers: { 'sec-purpose': 'prefetch' } };
    for (const handler of [auth.signIn, auth.signUp, auth.callback]) {
      expect((await visit(handler, '/auth/sign-in', prefetch)).status).toBe(403);
      expect((await visit(handler, '/auth/sign-in', form)).status).toBe(405);
    }
    expect((await visit(auth.signOut, '/auth/sign-out')).status).toBe(405);
  });

  it('ends with a page of the site when its cookies are strict', async () => {
    const { begin, callback } = openBrowser({ cookie: { sameSite: 'strict' } });
    const response = await callback(await begin('/auth/sign-in?returnTo=/notes?a=1%26b="2'));
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie().join()).toContain('SameSite=Strict');
    expect(await response.text()).toContain('content="0;url=/notes?a=1&amp;b=%222"');
  });

  it('ends the session here when the hosted login does not work', async () => {
    const { auth, begin, callback, visit, locationOf, state } = openBrowser();
    await callback(await begin('/auth/sign-in'));
    pool.script({ revoke: () => ({ status: 503 }) });
    expect(locationOf(await visit(auth.signOut, '/auth/sign-out', form))).toBe('/');
    expect(await state()).toBe('anonymous');
    auth.stop();
  });
});

describe('the headers of a page', () => {
  const { headers } = open();
  const none = new Headers();
  const empty = { loaderHeaders: none, parentHeaders: none, actionHeaders: none, errorHeaders: undefined };

  it.each([
    [
      'of its loader',
      { loaderHeaders: new Headers({ 'cache-control': 'public, max-age=60' }) },
      'public, max-age=60',
    ],
    ['of the route around it', { parentHeaders: new Headers({ 'cache-control': 'max-age=1' }) }, 'max-age=1'],
    [
      'that forbid to store a cookie',
      {
        loaderHeaders: new Headers({ 'cache-control': 'public' }),
        parentHeaders: new Headers({ 'set-cookie': 'a=1' }),
      },
      'private, no-store',
    ],
    [
      'of an action that forbids caches to store the page',
      { loaderHeaders: none, actionHeaders: new Headers({ 'cache-control': 'private, no-store' }) },
      'private, no-store',
    ],
  ])('are those %s', (_name, changes, expected) => {
    expect(headers({ ...empty, ...changes })).toEqual({ 'cache-control': expected });
  });

  it('are none when no route has any', () => expect(headers(empty)).toEqual({}));
});

describe('the options', () => {
  it.each<[string, Partial<CognitoSessionOptions>]>([
    ['appOrigin', { appOrigin: 'https://site.example/' }],
    ['appOrigin', { appOrigin: 'http://site.example' }],
    ['secrets', { secrets: ['short'] }],
    ['userPool.domain', { userPool: { id: 'eu-west-1_a', clientId: 'c', domain: 'login.example' } }],
    ['userPool.id', { userPool: { id: 'a', clientId: 'c', domain: 'https://login.example' } }],
    ['userPool.clientId', { userPool: { id: 'eu-west-1_a', clientId: '', domain: 'https://login.example' } }],
    ['userPool.issuer', { userPool: { ...pool.userPool(), clientSecret: undefined, issuer: '' } }],
    ['userPool.endpoint', { userPool: { ...pool.userPool(), clientSecret: undefined, endpoint: 'a' } }],
    ['paths.callback', { paths: { callback: 'auth/callback' } }],
    ['cookie.sameSite', { appOrigin: 'http://localhost:3000', cookie: { sameSite: 'none' } }],
  ])('name %s when it cannot work', (name, changes) => {
    expect(() => open(changes)).toThrow(name);
  });

  it('allow plain http where the app says so', () => {
    expect(() => open({ appOrigin: 'http://site.example', cookie: { secure: false } })).not.toThrow();
  });

  it('name a namespace, and cookies of another are not opened', async () => {
    const cookie = await visitor();
    const loader = open({ namespace: 'other' }).withSession(({ session }) => session.state);
    expect((await loader(argsOf('/', { cookie }))).data).toBe('anonymous');
  });

  it('without a log print warnings without personal data', async () => {
    const { log: _log, ...options } = optionsFor();
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const auth = createCognitoSession(options);
    await auth.callback(argsOf('/auth/callback?code=x', { cookie: 'own=1' }));
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/^sign-in failed .*"code":"invalid-callback"/)]]);
  });
});

describe('a server with a jar of its own', () => {
  it('opens, starts and ends sessions', async () => {
    const auth = open();
    const browser = createCookieStore();
    /** Handles one request, as such a server does. */
    const request = async <Result>(
      path: string,
      handle: (request: Request, visitor: Parameters<typeof auth.end>[1]) => Promise<Result>,
    ) => {
      const received = new Request(APP_ORIGIN + path, { headers: { cookie: browser.header() } });
      const cookies = createResponseCookies();
      const session = await auth.open(received, cookies);
      const result = await handle(received, { cookies, session });
      browser.receive(cookies);
      return result;
    };
    const redirected = await request('/auth/sign-in?returnTo=/notes', (received, visitor) =>
      thrownBy(auth.authenticator(visitor).authenticate('sign-in', received)),
    );
    const begun = new URL(headersOf(redirected).get('location') ?? '').searchParams;
    const claims = { ...claimsIssuedAt(Date.now()), nonce: begun.get('nonce') ?? '' };
    const tokens = { access_token: await pool.accessToken(claims), id_token: await pool.idToken(claims) };
    pool.script({ token: () => ({ body: tokens }) });
    const callback = `/auth/callback?code=c&state=${begun.get('state')}`;
    const returnTo = await request(callback, async (received, visitor) => {
      const signIn = await auth.authenticator(visitor).authenticate('sign-in', received);
      await auth.start(received, visitor, signIn);
      return signIn.returnTo;
    });
    expect(returnTo).toBe('/notes');
    const state = () => request('/', async (_received, { session }) => session.state);
    expect(await state()).toBe('signed-in');
    const reloaded = await request(callback, (received, visitor) =>
      thrownBy(auth.authenticator(visitor).authenticate('sign-in', received)),
    );
    expect(reloaded).toMatchObject({ name: 'SignInError', code: 'expired', returnTo: null });
    const copy = browser.header();
    expect(await request('/', (received, visitor) => auth.end(received, visitor))).toBe('revoked');
    expect([browser.header(), await state()]).toEqual(['', 'anonymous']);
    const loader = auth.withSession(({ session }) => session.state);
    expect((await loader(argsOf('/', { cookie: copy }))).data).toBe('anonymous');
    auth.stop();
  });
});
