import { describe, expect, it } from 'vitest';
import {
  failWith,
  HOUR,
  openDueVisitor,
  refreshResponse,
  rotate,
} from '../../../../tests/support/sign-in/due-visitor.ts';
import {
  createSessionHarness,
  type SessionHarness,
} from '../../../../tests/support/sign-in/session-harness.ts';
import type { Claims, SigningOptions } from '../../../../tests/support/upstreams/scripted-user-pool.ts';
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';
import { sessionHash } from '../../src/session/session-hash.ts';

const pool = await shareUserPool();

/** A visitor whose tokens have expired, and whether the log has one line, about a refresh of the visitor's session. */
async function dueVisitor() {
  const visitor = await openDueVisitor(pool);
  const { harness, session } = visitor;
  harness.logged.length = 0;
  const expectLogged = (line: object) =>
    expect(harness.logged).toMatchObject([{ ...line, session: sessionHash(session.id) }]);
  return { ...visitor, expectLogged };
}

describe('a refresh that fails', () => {
  it('with a definite rejection ends the session, for older cookies too', async () => {
    const { harness, browser, expectLogged } = await dueVisitor();
    const older = browser.copy();
    await harness.visit(browser);
    harness.time.now += HOUR;
    harness.logged.length = 0;
    pool.script(failWith('NotAuthorizedException'));
    expect((await harness.visit(browser)).session).toEqual({ state: 'ended' });
    const err = { code: 'NotAuthorizedException' };
    expectLogged({ level: 'info', msg: 'token refresh rejected: session ended', err });
    expect(await harness.visit(browser)).toEqual({ session: { state: 'ended' }, setCookies: [] });
    expect(browser.cookies.size).toBe(1);
    expect((await harness.visit(older)).session).toEqual({ state: 'ended' });
    expect(pool.received.api).toHaveLength(2);
  });

  it('with a definite rejection is not repeated for other requests with the same token', async () => {
    const { harness, browser } = await dueVisitor();
    pool.script(failWith('NotAuthorizedException'));
    const copies = Array.from({ length: 20 }, () => browser.copy());
    for (const copy of copies) expect((await harness.visit(copy)).session).toEqual({ state: 'ended' });
    expect(pool.received.api).toHaveLength(1);
  });

  it('with a definite rejection does not end the session for tokens that another machine has refreshed', async () => {
    const { harness, owners, browser } = await dueVisitor();
    pool.script(failWith('NotAuthorizedException'));
    expect((await harness.visit(browser.copy())).session).toEqual({ state: 'ended' });
    const other = createSessionHarness(pool);
    other.time.now = harness.time.now;
    rotate(pool, other, owners);
    expect((await other.visit(browser)).session.state).toBe('signed-in');
    rotate(pool, harness, owners);
    harness.time.now += HOUR;
    expect((await harness.visit(browser)).session.state).toBe('signed-in');
    expect(harness.refreshes).toEqual(['refused', 'refreshed']);
  });

  // threat-model: T-035
  it.each([
    ['the message names the secret', 'Unable to verify secret hash for client abc', 'invalid_grant'],
    ['the token endpoint rejects the client', 'Invalid Refresh Token.', 'invalid_client'],
  ])('because of a wrong client secret keeps all sessions: %s', async (_, message, error) => {
    const { harness, owners, browser, session, expectLogged } = await dueVisitor();
    pool.script({
      ...failWith('NotAuthorizedException', 400, message),
      token: () => ({ status: 400, body: { error } }),
    });
    expect(await harness.visit(browser)).toEqual({ session, setCookies: [] });
    expectLogged({
      level: 'error',
      msg: 'configuration error: the user pool rejected the app client',
      fix: expect.stringContaining('`userPool.clientSecret`'),
    });
    for (let minute = 1; minute < 5; minute++) {
      harness.time.now += 60_000;
      expect(await harness.visit(browser)).toEqual({ session, setCookies: [] });
    }
    harness.time.now += 60_000;
    rotate(pool, harness, owners);
    const corrected = await harness.visit(browser);
    expect(corrected.session).toMatchObject({ state: 'signed-in', id: session.id });
    expect(corrected.session).not.toEqual(session);
  });

  it('temporarily keeps the session and succeeds when the user pool recovers', async () => {
    const { harness, owners, browser, session, expectLogged } = await dueVisitor();
    pool.script(failWith('SomethingNewException'));
    expect(await harness.visit(browser)).toEqual({ session, setCookies: [] });
    // It is not repeated at once.
    expect(await harness.visit(browser)).toEqual({ session, setCookies: [] });
    expect(harness.refreshes).toEqual(['unavailable', 'unavailable']);
    const err = { code: 'SomethingNewException' };
    expectLogged({ level: 'warn', msg: 'token refresh failed: session continues', err });
    rotate(pool, harness, owners);
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

  it('because the signing keys are unavailable does not use a second refresh token', async () => {
    const { harness, owners, browser, session } = await dueVisitor();
    const later = createSessionHarness(pool);
    later.time.now = harness.time.now;
    rotate(pool, later, owners);
    pool.script({ keys: () => ({ status: 503 }) });
    expect((await later.visit(browser)).session).toEqual(session);
    pool.script({ keys: () => ({ body: pool.publicKeys }) });
    later.time.now += 1000;
    expect((await later.visit(browser)).session).toMatchObject({ state: 'signed-in', id: session.id });
    expect(pool.received.api).toHaveLength(1);
  });

  const accessTokenOf = async (claims: Claims, options?: SigningOptions) => ({
    accessToken: await pool.accessToken({ exp: 4e9, sub: 'ada', ...claims }, options),
  });

  // threat-model: T-037
  it.each<[string, string, (harness: SessionHarness) => Promise<{ accessToken: string }>]>([
    [
      'for another user',
      'the new tokens are for another user',
      (harness) => harness.issue({ sub: 'mallory' }),
    ],
    ['forged', 'the token is not valid', () => accessTokenOf({ iat: 1 }, { unknownKey: true })],
    ['without iat', 'iat not found in access token', () => accessTokenOf({})],
  ])('because the new tokens are %s keeps the current ones', async (_, message, issue) => {
    const { harness, owners, browser, session, expectLogged } = await dueVisitor();
    pool.script({ api: async () => refreshResponse(await issue(harness)) });
    expect(await harness.visit(browser)).toEqual({ session, setCookies: [] });
    expectLogged({ level: 'warn', msg: 'token refresh failed: session continues', err: { message } });
    // They are not used again.
    rotate(pool, harness, owners);
    harness.time.now += 1000;
    const next = (await harness.visit(browser)).session;
    expect(next).toMatchObject({ state: 'signed-in', user: session.user });
    expect(next).not.toMatchObject({ tokens: { accessToken: session.tokens.accessToken } });
  });
});
