import { describe, expect, it } from 'vitest';
import { sessionHash } from '../../../../app/server/observability/session-hash.ts';
import { failWith, HOUR, openDueVisitor, refreshResponse } from '../../../support/sign-in/due-visitor.ts';
import { createSessionHarness, type SessionHarness } from '../../../support/sign-in/session-harness.ts';
import type { ScriptedUserPool } from '../../../support/upstreams/scripted-user-pool.ts';
import { shareUserPool } from '../../../support/upstreams/shared-user-pool.ts';

const pool = await shareUserPool();

/** A visitor whose tokens have expired. The lines logged until then are dropped. */
async function dueVisitor() {
  const visitor = await openDueVisitor(pool);
  visitor.harness.logged.length = 0;
  return { ...visitor, hash: sessionHash(visitor.session.id) };
}

/** Scripts a refresh that succeeds. */
const succeed = (harness: SessionHarness, sub = 'ada') => ({
  api: async () => refreshResponse(await harness.issue({ sub })),
});

describe('the log', () => {
  it('has a line for the start of a session and for its end by sign-out, with its hash only', async () => {
    pool.script({ revoke: () => ({}) });
    const harness = createSessionHarness(pool);
    const { browser, session } = await harness.signIn();
    await harness.signOut(browser, session);
    expect(harness.logged).toMatchObject([
      { level: 'info', msg: 'session started', session: sessionHash(session.id) },
      { level: 'info', msg: 'session ended by sign-out', session: sessionHash(session.id) },
    ]);
    expect(JSON.stringify(harness.logged)).not.toContain(session.id);
  });

  it('has a line for a revocation that fails', async () => {
    const { harness, browser, session, hash } = await dueVisitor();
    pool.script({ revoke: () => ({ status: 400 }) });
    await harness.signOut(browser, session);
    expect(harness.logged[1]).toMatchObject({
      level: 'warn',
      msg: 'revoking the refresh token failed',
      session: hash,
      err: { code: 'RevocationFailed' },
    });
  });

  it.each<[string, (harness: SessionHarness) => Parameters<ScriptedUserPool['script']>[0], object]>([
    ['a line for a refresh', (harness) => succeed(harness), { level: 'info', msg: 'tokens refreshed' }],
    [
      'a line for a refresh that the user pool rejects',
      () => failWith('NotAuthorizedException'),
      {
        level: 'info',
        msg: 'token refresh rejected: session ended',
        err: { code: 'NotAuthorizedException' },
      },
    ],
    [
      'a warning for a refresh that fails',
      () => failWith('SomethingNewException'),
      {
        level: 'warn',
        msg: 'token refresh failed: session continues',
        err: { code: 'SomethingNewException' },
      },
    ],
    [
      'a warning for new tokens of another user',
      (harness) => succeed(harness, 'mallory'),
      {
        level: 'warn',
        msg: 'token refresh failed: session continues',
        err: { message: 'the new tokens are for another user' },
      },
    ],
    [
      'an error with a fix for a refresh that fails because of the configuration',
      () => failWith('NotAuthorizedException', 400, 'Unable to verify secret hash for client abc'),
      {
        level: 'error',
        msg: 'configuration error: the user pool rejected the app client',
        fix: expect.stringContaining('COGNITO_CLIENT_SECRET'),
      },
    ],
  ])('has %s', async (_, script, line) => {
    const { harness, browser, hash } = await dueVisitor();
    pool.script(script(harness));
    await harness.visit(browser);
    expect(harness.logged).toMatchObject([{ ...line, session: hash }]);
  });

  it('has an error for new tokens that are too long for cookies, and the browser keeps its cookie', async () => {
    const { harness, browser, hash } = await dueVisitor();
    const claims = { sub: 'ada', groups: 'x'.repeat(40_000) };
    pool.script({ api: async () => refreshResponse(await harness.issue(claims)) });
    const { session, setCookies } = await harness.visit(browser);
    expect([session.state, setCookies]).toEqual(['signed-in', []]);
    expect(harness.logged.at(-1)).toMatchObject({
      level: 'error',
      msg: 'saving the session failed',
      session: hash,
      err: { message: expect.stringContaining('the maximum is 8') },
    });
  });

  it('has a warning for the revocation of new tokens that fails', async () => {
    const { harness, browser, session } = await dueVisitor();
    pool.script({
      revoke: () => ({ status: 503 }),
      api: async () => {
        await harness.signOut(browser.copy(), session);
        return succeed(harness).api();
      },
    });
    await harness.visit(browser);
    expect(harness.logged.at(-1)).toMatchObject({
      level: 'warn',
      msg: 'revoking the refresh token of a closed session failed',
      err: { code: 'RevocationFailed' },
    });
  });
});

describe('the metrics', () => {
  it('count how refreshes end', async () => {
    const { harness, browser, session } = await dueVisitor();
    const old = browser.copy();
    pool.script(failWith('SomethingNewException'));
    await harness.visit(browser);
    await harness.visit(browser);
    harness.time.now += 1000;
    pool.script({ ...succeed(harness), revoke: () => ({}) });
    await Promise.all([harness.visit(browser), harness.visit(old)]);
    expect(harness.refreshes).toEqual(['unavailable', 'unavailable', 'refreshed']);
    // The cookie is decrypted now, so that the next two visits read it at the same time and share one refresh.
    await harness.visit(browser);
    harness.time.now += HOUR;
    pool.script(failWith('NotAuthorizedException'));
    await Promise.all([harness.visit(browser.copy()), harness.visit(browser.copy())]);
    await harness.visit(browser);
    const { length } = pool.received.api;
    await harness.signOut(old.copy(), session);
    await harness.visit(old);
    expect(harness.refreshes.slice(3)).toEqual(['refused', 'refused', 'closed']);
    expect(pool.received.api).toHaveLength(length);
  });
});
