import { describe, expect, it } from 'vitest';
import {
  HOUR,
  openDueVisitor,
  refreshResponse,
  rotate,
  signInAs,
  type TokenOwners,
} from '../../../../tests/support/sign-in/due-visitor.ts';
import { createSessionHarness } from '../../../../tests/support/sign-in/session-harness.ts';
import { createDeferred } from '../../../../tests/support/timing/manual-timers.ts';
import { settlesWithin } from '../../../../tests/support/timing/settles-within.ts';
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';
import { createResponseCookies } from '../../src/cookies/cookie-jar.ts';
import { sessionHash } from '../../src/session/session-hash.ts';

const pool = await shareUserPool();

const dueVisitor = () => openDueVisitor(pool);

describe('a refresh', () => {
  it('returns new tokens and sets the cookie that contains them', async () => {
    const { harness, browser, session } = await dueVisitor();
    const visit = await harness.visit(browser);
    expect(visit.session).toMatchObject({ state: 'signed-in', id: session.id, user: session.user });
    expect(visit.session).not.toMatchObject({ tokens: { accessToken: session.tokens.accessToken } });
    expect((await harness.visit(browser)).session).toEqual(visit.session);
    expect(pool.received.api).toHaveLength(1);
    const line = { level: 'info', msg: 'tokens refreshed', session: sessionHash(session.id) };
    expect(harness.logged.at(-1)).toMatchObject(line);
  });

  it('runs once for concurrent requests, and is counted once', async () => {
    const { harness, browser } = await dueVisitor();
    // The cookie is decrypted before, so that both requests read it at the same time.
    await harness.visit(browser);
    harness.time.now += HOUR;
    await Promise.all([harness.visit(browser.copy()), harness.visit(browser.copy())]);
    expect(harness.refreshes).toEqual(['refreshed', 'refreshed']);
    expect(pool.received.api).toHaveLength(2);
  });

  it('of a session that is closed already sends no request', async () => {
    const { harness, browser, session } = await dueVisitor();
    await harness.signOut(browser.copy(), session);
    expect((await harness.visit(browser)).session).toEqual({ state: 'anonymous' });
    expect(harness.refreshes).toEqual(['closed']);
    expect(pool.received.api).toEqual([]);
  });

  // threat-model: T-032
  it('is remembered for an hour, for a browser that did not receive the new cookie', async () => {
    const { harness, browser, session } = await dueVisitor();
    const exp = Math.floor((harness.time.now + 24 * HOUR) / 1000);
    pool.script({ api: async () => refreshResponse(await harness.issue({ sub: 'ada', exp })) });
    const cancelled = await harness.visit(browser.copy());
    expect(cancelled.session).toMatchObject({ state: 'signed-in', id: session.id });
    harness.time.now += HOUR;
    const late = browser.copy();
    expect((await harness.visit(late)).session).toEqual(cancelled.session);
    expect((await harness.visit(late)).setCookies).toEqual([]);
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

  it('keeps the refresh token, the user and the device if the new tokens do not contain them', async () => {
    const harness = createSessionHarness(pool);
    const claims = { sub: 'ada', name: 'Ada', device_key: 'us-east-1_device' };
    const { browser, session } = await harness.signIn({ claims });
    harness.time.now += HOUR;
    const { accessToken } = await harness.issue({ sub: 'ada' });
    pool.script({ api: () => refreshResponse({ accessToken }) });
    expect((await harness.visit(browser)).session).toMatchObject({
      user: session.user,
      tokens: { idToken: null, refreshToken: session.tokens.refreshToken, deviceKey: 'us-east-1_device' },
    });
    expect(JSON.parse(pool.received.api[0]?.body ?? '')).toMatchObject({ DeviceKey: 'us-east-1_device' });
  });

  it('takes over a user and a device that have changed', async () => {
    const { harness, browser } = await dueVisitor();
    const changed = { sub: 'ada', name: 'Ada L.', email: 'new@example.com', device_key: 'us-east-1_other' };
    pool.script({ api: async () => refreshResponse(await harness.issue(changed)) });
    expect((await harness.visit(browser)).session).toMatchObject({
      user: { sub: 'ada', name: 'Ada L.', email: 'new@example.com' },
      tokens: { deviceKey: 'us-east-1_other' },
    });
  });

  // threat-model: T-114
  it('takes over the groups of the user, also if there is no new ID token', async () => {
    const { harness, browser, session } = await dueVisitor();
    const { groups: _, ...others } = session.user;
    expect(session.user.groups).toEqual([]);
    const refreshWith = async (groups: string[], part?: 'accessToken') => {
      harness.time.now += HOUR;
      const { accessToken, ...rest } = await harness.issue({ sub: 'ada', 'cognito:groups': groups });
      pool.script({ api: () => refreshResponse(part ? { accessToken } : { accessToken, ...rest }) });
      return (await harness.visit(browser)).session;
    };
    expect(await refreshWith(['admins'])).toMatchObject({ user: { groups: ['admins'] } });
    expect(await refreshWith([], 'accessToken')).toMatchObject({ user: { ...others, groups: [] } });
  });

  // threat-model: T-031
  it('is awaited for four seconds, by later requests for one second, and is not started again', async () => {
    const harness = createSessionHarness(pool);
    const owners: TokenOwners = new Map();
    const { browser, session } = await signInAs(harness, 'ada', owners);
    const { promise, resolve } = createDeferred<void>();
    rotate(pool, harness, owners, () => promise);
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
    resolve();
    expect((await last).session).not.toMatchObject({
      tokens: { accessToken: session.tokens.accessToken },
    });
    expect(pool.received.api).toHaveLength(1);
  });
});

describe('a refresh in progress', () => {
  async function slowRefresh() {
    const harness = createSessionHarness(pool);
    const owners: TokenOwners = new Map();
    const { browser, session } = await signInAs(harness, 'ada', owners);
    const requested = createDeferred<void>();
    const response = createDeferred<void>();
    rotate(pool, harness, owners, () => {
      requested.resolve();
      return response.promise;
    });
    harness.time.now += HOUR;
    const visiting = harness.visit(browser.copy());
    await requested.promise;
    return { harness, owners, browser, session, visiting, response };
  }

  // threat-model: T-016
  it('does not restore a session after a sign-out, and its new refresh token is revoked', async () => {
    const { harness, owners, browser, session, visiting, response } = await slowRefresh();
    await harness.signOut(browser, session);
    response.resolve();
    expect(await visiting).toEqual({ session: { state: 'anonymous' }, setCookies: [] });
    expect(harness.refreshes).toEqual(['closed']);
    const [newRefreshToken = ''] = owners.keys();
    expect(pool.received.revoke.map(({ body }) => new URLSearchParams(body).get('token'))).toEqual([
      session.tokens.refreshToken,
      newRefreshToken,
    ]);
  });

  // threat-model: T-036
  it('does not affect the session of a new sign-in, even if the old one is rejected', async () => {
    const { harness, owners, browser, session, visiting, response } = await slowRefresh();
    owners.clear();
    const newSignIn = await harness.signIn({ claims: { sub: 'ada' }, previous: session }, browser);
    response.resolve();
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
