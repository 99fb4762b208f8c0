import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createResponseCookies } from '../../../../app/server/cookies/cookie-jar.ts';
import type { Session, SignedIn } from '../../../../app/server/session/session.ts';
import { createSessionHarness, type SessionHarness } from '../../../support/sign-in/session-harness.ts';
import { settlesWithin } from '../../../support/timing/settles-within.ts';
import {
  type ScriptedResponse,
  type ScriptedUserPool,
  startScriptedUserPool,
} from '../../../support/upstreams/scripted-user-pool.ts';

const HOUR = 60 * 60_000;

let pool: ScriptedUserPool;
beforeAll(async () => {
  pool = await startScriptedUserPool();
});
afterEach(() => pool.reset());
afterAll(() => pool.close());

const refreshTokenIn = (body: string): string => JSON.parse(body).RefreshToken;

/** Scripts a user pool with rotation: each refresh token works once and returns tokens of its own user. */
function rotate(
  harness: SessionHarness,
  owners: Map<string, string>,
  before: () => Promise<void> = async () => {},
) {
  pool.script({
    revoke: () => ({}),
    api: async ({ body }): Promise<ScriptedResponse> => {
      await before();
      const sub = owners.get(refreshTokenIn(body));
      if (!sub) return { status: 400, body: { __type: 'RefreshTokenReuseException' } };
      owners.delete(refreshTokenIn(body));
      const { accessToken, idToken, refreshToken } = await harness.issue({ sub });
      owners.set(refreshToken, sub);
      const result = { AccessToken: accessToken, IdToken: idToken, RefreshToken: refreshToken };
      return { body: { AuthenticationResult: result } };
    },
  });
}

async function signInAs(harness: SessionHarness, sub: string, owners: Map<string, string>) {
  const signedIn = await harness.signIn({ claims: { sub } });
  owners.set(signedIn.session.tokens.refreshToken ?? '', sub);
  return signedIn;
}

function hasTokensOf(session: Session, { tokens }: SignedIn): boolean {
  return session.state === 'signed-in' && session.tokens.accessToken === tokens.accessToken;
}

/** A visitor whose tokens have expired. */
async function dueVisitor() {
  const harness = createSessionHarness(pool);
  const owners = new Map<string, string>();
  const signedIn = await signInAs(harness, 'ada', owners);
  rotate(harness, owners);
  harness.time.now += HOUR;
  return { harness, owners, ...signedIn };
}

/** A promise that the test resolves. */
function createLatch() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Scripts an error of the user pool. The app client is accepted: the token endpoint rejects only the token. */
const failWith = (__type: string, status = 400, message = 'Invalid Refresh Token.') => ({
  api: () => ({ status, body: { __type, message } }),
  token: () => ({ status: 400, body: { error: 'invalid_grant' } }),
});

describe('a refresh', () => {
  it('returns new tokens and sets the cookie that contains them', async () => {
    const { harness, browser, session } = await dueVisitor();
    const visit = await harness.visit(browser);
    expect(visit.session).toMatchObject({ state: 'signed-in', id: session.id, user: session.user });
    expect(visit.session).not.toMatchObject({ tokens: { accessToken: session.tokens.accessToken } });
    expect((await harness.visit(browser)).session).toEqual(visit.session);
    expect(pool.received.api).toHaveLength(1);
  });

  // threat-model: T-030
  it('runs once for a thousand concurrent requests, and all of them get the new tokens', async () => {
    const { harness, browser } = await dueVisitor();
    const visits = await Promise.all(Array.from({ length: 1000 }, () => harness.visit(browser.copy())));
    expect(pool.received.api).toHaveLength(1);
    expect(new Set(visits.map(({ session }) => JSON.stringify(session))).size).toBe(1);
    expect(visits.every(({ setCookies }) => setCookies.length > 0)).toBe(true);
    expect(visits[0]?.session.state).toBe('signed-in');
  });

  // threat-model: T-034
  it('never gives one session the tokens of another', async () => {
    const harness = createSessionHarness(pool);
    const owners = new Map<string, string>();
    const visitors = await Promise.all(
      Array.from({ length: 50 }, (_, index) => signInAs(harness, `user-${index}`, owners)),
    );
    rotate(harness, owners);
    harness.time.now += HOUR;
    const visits = visitors.flatMap(({ browser, session }) =>
      Array.from({ length: 10 }, async () => {
        let after = await harness.visit(browser.copy());
        // On a busy machine a refresh takes longer than a request waits for it.
        while (hasTokensOf(after.session, session)) after = await harness.visit(browser.copy());
        return { before: session, after };
      }),
    );
    for (const { before, after } of await Promise.all(visits)) {
      expect(after.session).toMatchObject({
        state: 'signed-in',
        id: before.id,
        user: { sub: before.user.sub },
      });
      expect(hasTokensOf(after.session, before)).toBe(false);
    }
    expect(pool.received.api).toHaveLength(50);
  });

  // threat-model: T-032
  it('is not repeated when the browser did not receive the new cookie', async () => {
    const { harness, browser } = await dueVisitor();
    const cancelled = await harness.visit(browser.copy());
    harness.time.now += 10 * 60_000;
    expect((await harness.visit(browser)).session).toEqual(cancelled.session);
    expect((await harness.visit(browser)).setCookies).toEqual([]);
    expect(pool.received.api).toHaveLength(1);
  });

  it('is remembered for an hour', async () => {
    const { harness, browser, session } = await dueVisitor();
    pool.script({
      api: async () => {
        const exp = Math.floor((harness.time.now + 24 * HOUR) / 1000);
        const { accessToken, idToken } = await harness.issue({ sub: 'ada', exp });
        return { body: { AuthenticationResult: { AccessToken: accessToken, IdToken: idToken } } };
      },
    });
    await harness.visit(browser.copy());
    harness.time.now += HOUR;
    expect((await harness.visit(browser.copy())).session).toMatchObject({
      state: 'signed-in',
      id: session.id,
    });
    expect(pool.received.api).toHaveLength(1);
    harness.time.now += 1;
    await harness.visit(browser.copy());
    expect(pool.received.api).toHaveLength(2);
  });

  it('restarts the idle time', async () => {
    const { harness, browser } = await dueVisitor();
    const [line] = (await harness.visit(browser)).setCookies;
    const lifetime = 365 * 86_400 - 3600;
    expect(line).toContain(`Max-Age=${lifetime};`);
    harness.time.now += 30 * 24 * HOUR - 1;
    expect((await harness.visit(browser.copy())).session.state).toBe('signed-in');
    harness.time.now += 1;
    expect((await harness.visit(browser.copy())).session.state).toBe('ended');
  });

  it('continues from the latest generation for an old cookie', async () => {
    const { harness, browser } = await dueVisitor();
    const old = browser.copy();
    for (let hour = 0; hour < 3; hour++) {
      expect((await harness.visit(browser)).session.state).toBe('signed-in');
      harness.time.now += HOUR - 60_000;
    }
    expect((await harness.visit(old)).session.state).toBe('signed-in');
  });

  it('keeps the old refresh token if the client does not rotate', async () => {
    const { harness, browser, session } = await dueVisitor();
    pool.script({
      api: async () => {
        const { accessToken, idToken } = await harness.issue({ sub: 'ada' });
        return { body: { AuthenticationResult: { AccessToken: accessToken, IdToken: idToken } } };
      },
    });
    const refreshed = (await harness.visit(browser)).session;
    expect(refreshed).toMatchObject({ tokens: { refreshToken: session.tokens.refreshToken } });
  });

  it('keeps the user and the device if the new tokens do not name them', async () => {
    const harness = createSessionHarness(pool);
    const { browser, session } = await harness.signIn({
      claims: { sub: 'ada', name: 'Ada', device_key: 'us-east-1_device' },
    });
    pool.script({
      api: async () => {
        const { accessToken } = await harness.issue({ sub: 'ada' });
        return { body: { AuthenticationResult: { AccessToken: accessToken } } };
      },
    });
    harness.time.now += HOUR;
    expect((await harness.visit(browser)).session).toMatchObject({
      user: session.user,
      tokens: { idToken: null, deviceKey: 'us-east-1_device' },
    });
    expect(JSON.parse(pool.received.api[0]?.body ?? '')).toMatchObject({ DeviceKey: 'us-east-1_device' });
  });

  it('takes over a user and a device that have changed', async () => {
    const { harness, browser } = await dueVisitor();
    const changed = { sub: 'ada', name: 'Ada L.', email: 'new@example.com', device_key: 'us-east-1_other' };
    pool.script({
      api: async () => {
        const { accessToken, idToken } = await harness.issue(changed);
        return { body: { AuthenticationResult: { AccessToken: accessToken, IdToken: idToken } } };
      },
    });
    expect((await harness.visit(browser)).session).toMatchObject({
      user: { sub: 'ada', name: 'Ada L.', email: 'new@example.com' },
      tokens: { deviceKey: 'us-east-1_other' },
    });
  });

  // threat-model: T-031
  it('is awaited for four seconds, by later requests for one second, and is not started again', async () => {
    const harness = createSessionHarness(pool);
    const owners = new Map<string, string>();
    const { browser, session } = await signInAs(harness, 'ada', owners);
    const { opened, open } = createLatch();
    rotate(harness, owners, () => opened);
    harness.time.now += HOUR - 4000;
    const startedAt = performance.now();
    const early = await settlesWithin(4800, harness.visit(browser));
    expect(performance.now() - startedAt).toBeGreaterThan(3900);
    expect(early).toEqual({ session, setCookies: [] });
    const lateAt = performance.now();
    const late = await settlesWithin(1800, harness.visit(browser));
    expect(performance.now() - lateAt).toBeGreaterThan(900);
    expect(late).toEqual({ session, setCookies: [] });

    const last = harness.visit(browser);
    open();
    expect((await last).session).not.toMatchObject({
      tokens: { accessToken: session.tokens.accessToken },
    });
    expect(pool.received.api).toHaveLength(1);
  });
});

describe('a refresh that fails', () => {
  it.each([
    'NotAuthorizedException',
    'TokenRevokedException',
    'UserNotFoundException',
    'PasswordResetRequiredException',
    'UserNotConfirmedException',
    'RefreshTokenReuseException',
  ])('with a definite rejection ends the session: %s', async (name) => {
    const { harness, browser } = await dueVisitor();
    pool.script(failWith(name));
    expect((await harness.visit(browser)).session).toEqual({ state: 'ended' });
    expect(await harness.visit(browser)).toEqual({ session: { state: 'ended' }, setCookies: [] });
    expect(browser.cookies.size).toBe(1);
  });

  it('with a definite rejection is not repeated for other requests with the same token', async () => {
    const { harness, browser } = await dueVisitor();
    pool.script(failWith('NotAuthorizedException'));
    const copies = Array.from({ length: 20 }, () => browser.copy());
    for (const copy of copies) expect((await harness.visit(copy)).session).toEqual({ state: 'ended' });
    expect(pool.received.api).toHaveLength(1);
  });

  // threat-model: T-035
  it.each([
    ['the message names the secret', 'Unable to verify secret hash for client abc', 'invalid_grant'],
    ['the token endpoint rejects the client', 'Invalid Refresh Token.', 'invalid_client'],
  ])('because of a wrong client secret keeps all sessions: %s', async (_, message, error) => {
    const { harness, owners, browser, session } = await dueVisitor();
    pool.script({
      ...failWith('NotAuthorizedException', 400, message),
      token: () => ({ status: 400, body: { error } }),
    });
    for (let minute = 0; minute < 5; minute++) {
      expect(await harness.visit(browser)).toEqual({ session, setCookies: [] });
      harness.time.now += 60_000;
    }
    rotate(harness, owners);
    const corrected = await harness.visit(browser);
    expect(corrected.session).toMatchObject({ state: 'signed-in', id: session.id });
    expect(corrected.session).not.toEqual(session);
  });

  it.each<[string, Parameters<ScriptedUserPool['script']>[0]]>([
    ['429', { api: () => ({ status: 429 }) }],
    ['503', { api: () => ({ status: 503, body: '<html>' }) }],
    ['a lost connection', { api: () => 'reset' }],
    ['HTML', { api: () => ({ body: '<html>' }) }],
    ['InternalErrorException', failWith('InternalErrorException', 500)],
    ['an unknown error', failWith('SomethingNewException')],
  ])('temporarily keeps the session and succeeds when the user pool recovers: %s', async (_, script) => {
    const { harness, owners, browser, session } = await dueVisitor();
    pool.script(script);
    expect(await harness.visit(browser)).toEqual({ session, setCookies: [] });
    rotate(harness, owners);
    harness.time.now += 1000;
    const after = await harness.visit(browser);
    expect(after.session).toMatchObject({ state: 'signed-in', id: session.id });
    expect(after.session).not.toMatchObject({ tokens: { accessToken: session.tokens.accessToken } });
  });

  it('temporarily is repeated with a backoff that doubles up to ten seconds', async () => {
    const { harness, browser } = await dueVisitor();
    pool.script(failWith('SomethingNewException'));
    const pauses: number[] = [];
    let last = harness.time.now;
    for (let second = 0; second < 60; second++) {
      const before = pool.received.api.length;
      await harness.visit(browser);
      if (pool.received.api.length > before) {
        pauses.push((harness.time.now - last) / 1000);
        last = harness.time.now;
      }
      harness.time.now += 1000;
    }
    expect(pauses).toEqual([0, 1, 2, 4, 8, 10, 10, 10, 10]);
  });

  it('for several visitors opens the circuit breaker', async () => {
    const harness = createSessionHarness(pool);
    const owners = new Map<string, string>();
    const visitors = await Promise.all(
      Array.from({ length: 12 }, (_, index) => signInAs(harness, `user-${index}`, owners)),
    );
    pool.script({ api: () => 'reset' });
    harness.time.now += HOUR;
    for (const { browser } of visitors) {
      expect((await harness.visit(browser)).session.state).toBe('signed-in');
    }
    expect(pool.received.api).toHaveLength(5 * 3);
    rotate(harness, owners);
    harness.time.now += 10_000;
    for (const { browser, session } of visitors) {
      expect((await harness.visit(browser)).session).not.toEqual(session);
    }
  });

  it('because the signing keys are unavailable does not use a second refresh token', async () => {
    const { harness, owners, browser, session } = await dueVisitor();
    const later = createSessionHarness(pool);
    later.time.now = harness.time.now;
    rotate(later, owners);
    pool.script({ keys: () => ({ status: 503 }) });
    expect((await later.visit(browser)).session).toEqual(session);
    pool.script({ keys: () => ({ body: pool.publicKeys }) });
    later.time.now += 1000;
    expect((await later.visit(browser)).session).toMatchObject({ state: 'signed-in', id: session.id });
    expect(pool.received.api).toHaveLength(1);
  });

  // threat-model: T-037
  it.each<[string, (harness: SessionHarness) => Promise<string>]>([
    ['for another user', async (harness) => (await harness.issue({ sub: 'mallory' })).accessToken],
    ['forged', async () => pool.accessToken({ iat: 1, exp: 4e9, sub: 'ada' }, { unknownKey: true })],
    ['without iat', async () => pool.accessToken({ exp: 4e9, sub: 'ada' })],
  ])('because the new tokens are %s keeps the current ones', async (_, accessToken) => {
    const { harness, owners, browser, session } = await dueVisitor();
    pool.script({
      api: async () => ({ body: { AuthenticationResult: { AccessToken: await accessToken(harness) } } }),
    });
    expect(await harness.visit(browser)).toEqual({ session, setCookies: [] });
    // They are not used again.
    rotate(harness, owners);
    harness.time.now += 1000;
    const next = (await harness.visit(browser)).session;
    expect(next).toMatchObject({ state: 'signed-in', user: session.user });
    expect(next).not.toMatchObject({ tokens: { accessToken: session.tokens.accessToken } });
  });
});

describe('a refresh in progress', () => {
  async function slowRefresh() {
    const harness = createSessionHarness(pool);
    const owners = new Map<string, string>();
    const { browser, session } = await signInAs(harness, 'ada', owners);
    const requested = createLatch();
    const userPoolLatch = createLatch();
    rotate(harness, owners, () => {
      requested.open();
      return userPoolLatch.opened;
    });
    harness.time.now += HOUR;
    const visiting = harness.visit(browser.copy());
    await requested.opened;
    return { harness, owners, browser, session, visiting, userPoolLatch };
  }

  // threat-model: T-016
  it('does not restore a session after a sign-out, and its new refresh token is revoked', async () => {
    const { harness, owners, browser, session, visiting, userPoolLatch } = await slowRefresh();
    await harness.signOut(browser, session);
    userPoolLatch.open();
    expect(await visiting).toEqual({ session: { state: 'anonymous' }, setCookies: [] });
    const [newRefreshToken = ''] = owners.keys();
    expect(pool.received.revoke.map(({ body }) => new URLSearchParams(body).get('token'))).toEqual([
      session.tokens.refreshToken,
      newRefreshToken,
    ]);
  });

  // threat-model: T-036
  it('does not affect the session of a new sign-in, even if the old one is rejected', async () => {
    const { harness, owners, browser, session, visiting, userPoolLatch } = await slowRefresh();
    owners.clear();
    const newSignIn = await harness.signIn({ claims: { sub: 'ada' }, previous: session }, browser);
    userPoolLatch.open();
    expect((await visiting).setCookies).toEqual([]);
    expect((await harness.visit(browser)).session).toEqual(newSignIn.session);
  });

  // threat-model: T-016
  it('does not set the cookie when the same response signs out', async () => {
    const { harness, browser } = await dueVisitor();
    const jar = createResponseCookies();
    const request = browser.request();
    const session = await harness.sessions.open(request, jar);
    await harness.sessions.end(request, jar, session);
    browser.receive(jar);
    expect(browser.cookies.size).toBe(0);
    expect(jar.lines().every((line) => line.includes('Max-Age=0'))).toBe(true);
  });
});
