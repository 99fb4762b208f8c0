/** Fresh sign-ins for an action, at the hosted login and the user pools API of the local cloud. */
import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startLocalCloud } from '../../../../tests/support/local-cloud.ts';
import { type CookieStore, createCookieStore } from '../../../../tests/support/sign-in/cookie-store.ts';
import {
  createHostedLoginVisitor,
  type HostedLoginVisitor,
  PASSWORD,
} from '../../../../tests/support/sign-in/hosted-login.ts';
import {
  type CognitoSession,
  createCognitoSession,
  createResponseCookies,
  type Grant,
} from '../../src/index.ts';
import { resolveOptions } from '../../src/options.ts';
import { Grants } from '../../src/sign-in/step-up.ts';

const ORIGIN = 'http://localhost:3000';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const ADA = { email: 'ada@example.com', password: PASSWORD };
const BEN = { email: 'ben@example.com', password: PASSWORD };
const RENAME = { action: 'rename', values: { name: 'Ada L.' }, returnTo: '/account?tab=1' };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

let cloud: LocalCloud;
let auth: CognitoSession;
let now = Date.now();
let failures: (string | null)[];

beforeAll(async () => {
  cloud = await startLocalCloud({ siteOrigins: [ORIGIN], clock: () => now });
});
beforeEach(async () => {
  now = Date.now();
  failures = [];
  await cloud.reset();
  auth = openMachine();
});
afterEach(() => {
  auth.stop();
  cloud.faults.set({});
});
afterAll(() => cloud.close());

function openMachine(): CognitoSession {
  const env = cloud.environment();
  return createCognitoSession({
    appOrigin: ORIGIN,
    secrets: ['first-9f3kd02mzQpwL4vX8hTyRu6BnCsEaJg'],
    userPool: {
      id: env.COGNITO_USER_POOL_ID ?? '',
      clientId: env.COGNITO_CLIENT_ID ?? '',
      clientSecret: env.COGNITO_CLIENT_SECRET,
      domain: env.COGNITO_DOMAIN ?? '',
      issuer: env.COGNITO_ISSUER,
      endpoint: env.AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER,
    },
    onSignInError: ({ code, action, returnTo }) => {
      failures.push(code, action, returnTo);
      return new Response(null, { status: 400 });
    },
    log: silent,
    clock: () => now,
  });
}

type Visitor = { browser: CookieStore; login: HostedLoginVisitor };

/** Sends a request with the browser's cookies, and keeps those of the response. */
async function send(
  { browser }: Pick<Visitor, 'browser'>,
  path: string,
  handle: (args: Parameters<CognitoSession['callback']>[0]) => Promise<unknown>,
  init: RequestInit = {},
): Promise<Response> {
  const request = new Request(ORIGIN + path, {
    ...init,
    headers: { cookie: browser.header(), ...init.headers },
  });
  const args = { request, params: {}, context: Object.assign({}) };
  const response = await handle(args).catch((thrown: unknown) => thrown);
  if (!(response instanceof Response)) throw response;
  browser.receive({ lines: () => response.headers.getSetCookie() });
  return response;
}

const locationOf = (response: Response) => response.headers.get('location') ?? '';
const finish = (visitor: Visitor, { pathname, search }: URL) =>
  send(visitor, pathname + search, auth.callback);

async function signUp(account = ADA): Promise<Visitor> {
  const visitor = { browser: createCookieStore(), login: createHostedLoginVisitor(cloud) };
  const begun = await send(visitor, '/auth/sign-in', auth.signIn);
  await finish(visitor, await visitor.login.signUp(locationOf(begun), account));
  return visitor;
}

const POST = {
  method: 'POST',
  headers: { origin: ORIGIN, 'sec-fetch-site': 'same-origin' },
  body: 'name=Ada',
};

/** Begins a step-up, and returns the address of the hosted login. */
const begin = async (visitor: Visitor, stepUp = RENAME, init: RequestInit = POST) =>
  send(
    visitor,
    '/account',
    auth.withUser(async (args) => {
      // An action has read its form.
      await args.request.text();
      return auth.stepUp.begin(args, stepUp);
    }),
    init,
  );

/** Begins a step-up and completes it at the hosted login. */
async function stepUp(visitor: Visitor, request = RENAME, account = ADA): Promise<Response> {
  const { login } = visitor;
  return finish(visitor, await login.signIn(locationOf(await begin(visitor, request)), account));
}

/** Calls `use` with the grant that a page gets, or with null. */
async function withGrant<Result>(
  visitor: Pick<Visitor, 'browser'>,
  use: (grant: Grant | null) => Promise<Result>,
  { action = 'rename', isFinished = false } = {},
): Promise<Result> {
  const results: Result[] = [];
  await send(
    visitor,
    '/account',
    auth.withUser(async (args) => {
      results.push(await use(await auth.stepUp.open(args, action)));
      if (isFinished) await auth.stepUp.finish(args);
      return new Response(null);
    }),
  );
  const [result] = results;
  if (result === undefined) throw new Error('The page was not shown.');
  return result;
}

const hasGrant = (visitor: Pick<Visitor, 'browser'>, action?: string) =>
  withGrant(visitor, async (grant) => grant !== null, action === undefined ? {} : { action });

/** Returns the session of a browser, with the tokens. */
async function sessionOf({ browser }: Pick<Visitor, 'browser'>) {
  const cookies = { set() {}, delete() {}, lines: () => [] };
  return auth.open(browser.request(), cookies);
}

const claimsOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

describe('a fresh sign-in', () => {
  it('asks for the password again, with the scope for it, and leads back to the page', async () => {
    const visitor = await signUp();
    const before = await sessionOf(visitor);
    const begun = await begin(visitor);
    const { searchParams } = new URL(locationOf(begun));
    expect([begun.status, searchParams.get('prompt')]).toEqual([303, 'login']);
    expect(searchParams.get('scope')).toBe('openid email profile aws.cognito.signin.user.admin');
    const page = await visitor.login.open(locationOf(begun));
    expect(page.url.pathname).toBe('/login');
    const { url } = await visitor.login.submit(page, ADA);
    expect(locationOf(await finish(visitor, url))).toBe('/account?tab=1');
    expect(await sessionOf(visitor)).toEqual(before);
    const seen = await withGrant(visitor, async (grant) => [grant?.action, grant?.values]);
    expect(seen).toEqual(['rename', { name: 'Ada L.' }]);
  });

  it('lets the visitor change the name, which the renewed session has', async () => {
    const visitor = await signUp();
    await stepUp(visitor);
    const user = await withGrant(
      visitor,
      async (grant) => {
        await grant?.updateName(`  ${grant.values.name}  `);
        return grant?.getUser();
      },
      { isFinished: true },
    );
    expect(user?.attributes).toMatchObject({ email: ADA.email, name: 'Ada L.' });
    await send(visitor, '/', async ({ request }) => {
      const headers = new Headers();
      const lines: string[] = [];
      const cookies = {
        set: (name: string, value: string) => void lines.push(`${name}=${value}`),
        delete() {},
        lines: () => lines,
      };
      const session = await auth.renew({ request, cookies, session: await auth.open(request, cookies) });
      expect(session).toMatchObject({ state: 'signed-in', user: { name: 'Ada L.' } });
      for (const line of lines) headers.append('set-cookie', line);
      return new Response(null, { headers });
    });
    expect(await sessionOf(visitor)).toMatchObject({ user: { name: 'Ada L.' } });
  });

  it('deletes a name that is blank', async () => {
    const visitor = await signUp();
    await stepUp(visitor);
    const attributes = await withGrant(visitor, async (grant) => {
      await grant?.updateName('Ada');
      await grant?.updateName(' ');
      return (await grant?.getUser())?.attributes;
    });
    expect(attributes).not.toHaveProperty('name');
  });

  it('is told apart from one that the visitor cancels, and the session stays', async () => {
    const visitor = await signUp();
    const state = new URL(locationOf(await begin(visitor))).searchParams.get('state') ?? '';
    const params = new URLSearchParams({ state, error: 'access_denied' });
    await send(visitor, `/auth/callback?${params}`, auth.callback);
    expect(failures).toEqual(['cancelled', 'rename', '/account?tab=1']);
    expect((await sessionOf(visitor)).state).toBe('signed-in');
    expect(await hasGrant(visitor)).toBe(false);
  });

  it('has values of at most 512 bytes', async () => {
    const visitor = await signUp();
    await expect(begin(visitor, { ...RENAME, values: { name: 'é'.repeat(256) } })).rejects.toThrow(
      RangeError,
    );
  });
});

describe('attacks on a fresh sign-in', () => {
  // threat-model: T-128
  it('without `prompt`, a sign-in from before does not count', async () => {
    const visitor = await signUp();
    now += 2 * SECOND;
    const stripped = new URL(locationOf(await begin(visitor)));
    stripped.searchParams.delete('prompt');
    const { url } = await visitor.login.open(stripped);
    expect(url.pathname, 'the hosted login asks for nothing').toBe('/auth/callback');
    await finish(visitor, url);
    expect(failures).toEqual(['not-confirmed', 'rename', '/account?tab=1']);
    expect(await hasGrant(visitor)).toBe(false);
    expect((await sessionOf(visitor)).state).toBe('signed-in');
  });

  // threat-model: T-129
  it('by another user it fails, and the tokens of that user are revoked', async () => {
    await signUp(BEN);
    const visitor = await signUp();
    cloud.faults.forgetCalls();
    await stepUp(visitor, RENAME, BEN);
    expect(failures).toEqual(['other-user', 'rename', '/account?tab=1']);
    expect(Object.values(cloud.faults.calls.revoke ?? {})).toEqual([1]);
    expect(await sessionOf(visitor)).toMatchObject({ state: 'signed-in', user: { email: ADA.email } });
    expect(await hasGrant(visitor)).toBe(false);
  });

  // threat-model: T-130
  it('a copied grant is useless after the action, here and at Cognito', async () => {
    const visitor = await signUp();
    await stepUp(visitor);
    const stolen = { browser: visitor.browser.copy() };
    await withGrant(
      visitor,
      async (grant) => {
        await grant?.updateName('Ada');
        return true;
      },
      { isFinished: true },
    );
    expect(visitor.browser.header()).not.toContain('grant');
    expect(stolen.browser.header()).toContain('grant');
    expect(await hasGrant(stolen)).toBe(false);
    // A machine that does not know that the grant was used.
    auth.stop();
    auth = openMachine();
    const code = await withGrant(stolen, async (grant) =>
      grant?.updateName('Eve').catch((error: { code: string }) => error.code),
    );
    expect(code).toBe('expired');
  });

  // threat-model: T-131
  it('a grant is for one action and one session, for five minutes', async () => {
    const visitor = await signUp();
    await stepUp(visitor);
    expect(await hasGrant(visitor, 'delete-account')).toBe(false);
    const other = await signUp({ ...ADA, email: 'eve@example.com' });
    const grant = visitor.browser.cookies.get('grant') ?? '';
    other.browser.cookies.set('grant', grant);
    expect(await hasGrant(other)).toBe(false);
    // A second session of the same user.
    const second = { browser: createCookieStore(), login: visitor.login };
    const begun = await send(second, '/auth/sign-in', auth.signIn);
    await finish(second, (await second.login.open(locationOf(begun))).url);
    second.browser.cookies.set('grant', grant);
    expect((await sessionOf(second)).state).toBe('signed-in');
    expect(await hasGrant(second)).toBe(false);
    expect(await hasGrant(visitor)).toBe(true);
    now += 5 * MINUTE;
    expect(await hasGrant(visitor)).toBe(false);
  });

  // threat-model: T-131
  it.each(['', 'x', '1.', '1.eyJhbGciOiJkaXIifQ....'])('a grant cookie %j is no grant', async (value) => {
    const visitor = await signUp();
    visitor.browser.cookies.set('grant', value);
    expect(await hasGrant(visitor)).toBe(false);
    visitor.browser.cookies.set('grant', visitor.browser.cookies.get('session') ?? '');
    expect(await hasGrant(visitor)).toBe(false);
  });

  // threat-model: T-132
  it('in an old tab, an attempt of a session that has ended gives no grant', async () => {
    const visitor = await signUp();
    const begun = await begin(visitor);
    await send(visitor, '/auth/sign-out', auth.signOut, POST);
    await finish(visitor, await visitor.login.signIn(locationOf(begun), ADA));
    expect(failures).toEqual(['expired', 'rename', '/account?tab=1']);
    expect((await sessionOf(visitor)).state).toBe('anonymous');
    const again = await send(visitor, '/auth/sign-in', auth.signIn);
    await finish(visitor, (await visitor.login.open(locationOf(again))).url);
    expect(await hasGrant(visitor)).toBe(false);
  });

  it('ends with the session that it was for', async () => {
    const visitor = await signUp();
    await stepUp(visitor);
    expect(visitor.browser.header()).toContain('grant');
    cloud.faults.forgetCalls();
    await send(visitor, '/auth/sign-out', auth.signOut, POST);
    expect(visitor.browser.header()).toBe('');
    expect(Object.values(cloud.faults.calls.revoke ?? {})).toEqual([2]);
  });

  // threat-model: T-132
  it('another site cannot begin one', async () => {
    const visitor = await signUp();
    const foreign = {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    };
    expect((await begin(visitor, RENAME, foreign)).status).toBe(403);
    expect((await begin(visitor, RENAME, {})).status).toBe(405);
    expect(visitor.browser.header()).not.toContain('oauth');
  });

  // threat-model: T-133
  it('a session cannot change the account, also when its browser asks for more scopes', async () => {
    const visitor = { browser: createCookieStore(), login: createHostedLoginVisitor(cloud) };
    const url = new URL(locationOf(await send(visitor, '/auth/sign-in', auth.signIn)));
    url.searchParams.set('scope', `${url.searchParams.get('scope')} aws.cognito.signin.user.admin`);
    await finish(visitor, await visitor.login.signUp(url, ADA));
    expect(failures).toEqual(['refused', null, '/']);
    const begun = await send(visitor, '/auth/sign-in', auth.signIn);
    await finish(visitor, (await visitor.login.open(locationOf(begun))).url);
    const session = await sessionOf(visitor);
    const token = session.state === 'signed-in' ? session.tokens.accessToken : '';
    expect(claimsOf(token)).toMatchObject({ scope: 'openid email profile' });
    const response = await fetch(`${cloud.environment().AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AWSCognitoIdentityProviderService.DeleteUser',
      },
      body: JSON.stringify({ AccessToken: token }),
    });
    expect(await response.json()).toMatchObject({ message: 'Access Token does not have required scopes' });
  });

  // threat-model: T-130
  it('a form that is sent twice is done once, and its second time finds no grant', async () => {
    const visitor = await signUp();
    await stepUp(visitor);
    const copy = { browser: visitor.browser.copy() };
    const change = (browser: Pick<Visitor, 'browser'>) =>
      withGrant(
        browser,
        async (grant) => {
          if (!grant) return 'no grant';
          await grant.changePassword({ previous: PASSWORD, proposed: `${PASSWORD}-new` });
          return 'changed';
        },
        { isFinished: true },
      );
    expect([await change(visitor), await change(copy)]).toEqual(['changed', 'no grant']);
  });
});

// threat-model: T-130
it('the tokens of a grant that is not used are revoked after five minutes', async () => {
  vi.useFakeTimers();
  try {
    const closed: string[] = [];
    const { settings } = resolveOptions({
      appOrigin: ORIGIN,
      secrets: ['first-9f3kd02mzQpwL4vX8hTyRu6BnCsEaJg'],
      userPool: { id: 'us-east-1_any', clientId: 'any', domain: cloud.origin },
    });
    const grants = new Grants({
      env: settings,
      sessions: { closeGrant: async ({ id }) => void closed.push(id), isClosed: async () => false },
      clock: Date.now,
    });
    const tokens = { accessToken: 'a', idToken: null, refreshToken: 'r', deviceKey: null, clockDrift: 0 };
    const times = { startedAt: Date.now(), renewedAt: 0, refreshedAt: 0, generation: 0, tokensExpireAt: 0 };
    const user = { sub: 'ada', email: null, name: null, groups: [] };
    const record = { id: 'grant id', ...times, tokens, user };
    const attempt = { action: 'rename', values: {}, session: 'hash', sub: 'ada' };
    await grants.start(new Request(ORIGIN), createResponseCookies(), record, attempt);
    await vi.advanceTimersByTimeAsync(5 * MINUTE - 1);
    expect(closed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(closed).toEqual(['grant id']);
  } finally {
    vi.useRealTimers();
  }
});

describe('the operations of a grant', () => {
  const changeTo = (visitor: Visitor, previous: string, proposed: string) =>
    withGrant(visitor, async (grant) =>
      grant
        ? grant.changePassword({ previous, proposed }).then(
            () => 'changed',
            (error: { name: string; code: string; message: string }) => [
              error.name,
              error.code,
              error.message,
            ],
          )
        : null,
    );

  it('say what is wrong with a password, and change it', async () => {
    const visitor = await signUp();
    await stepUp(visitor);
    const next = 'a longer pass phrase';
    const failure = (code: string) => ['AccountError', code, code];
    expect(await changeTo(visitor, 'wrong password', next)).toEqual(failure('wrong-password'));
    expect(await changeTo(visitor, PASSWORD, 'short')).toEqual(failure('password-policy'));
    expect(await changeTo(visitor, PASSWORD, ' spaces around ')).toEqual(failure('password-policy'));
    expect(await changeTo(visitor, PASSWORD, next)).toBe('changed');
    expect(locationOf(await stepUp(visitor, RENAME, { ...ADA, password: next }))).toBe('/account?tab=1');
    expect((await sessionOf(visitor)).state).toBe('signed-in');
  });

  it('are not repeated after a failure in which a change may have been made', async () => {
    const visitor = await signUp();
    await stepUp(visitor);
    cloud.faults.forgetCalls();
    cloud.faults.set({ faults: [{ service: 'cognito-idp', kind: 'status', status: 503 }] });
    expect(await changeTo(visitor, PASSWORD, 'a longer pass phrase')).toEqual([
      'AccountError',
      'unavailable',
      'unavailable',
    ]);
    expect(cloud.faults.calls['cognito-idp']).toEqual({ ChangePassword: 1 });
  });

  it('delete the user, which can be repeated', async () => {
    const visitor = await signUp();
    await stepUp(visitor);
    await withGrant(visitor, async (grant) => {
      await grant?.deleteUser();
      await grant?.deleteUser();
      return true;
    });
    const page = await visitor.login.open(locationOf(await begin(visitor)));
    expect((await visitor.login.submit(page, ADA)).status).toBe(400);
  });
});
