import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sessionHash } from '../../../../app/server/observability/session-hash.ts';
import { createSessionHarness } from '../../../support/sign-in/session-harness.ts';
import {
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

/** A visitor who has signed in. The lines logged until then are dropped. */
async function signedIn() {
  const harness = createSessionHarness(pool);
  const { browser, session } = await harness.signIn({ claims: { sub: 'ada' } });
  harness.logged.length = 0;
  return { harness, browser, session, hash: sessionHash(session.id) };
}

/** Scripts a refresh that succeeds. */
const succeed = (harness: ReturnType<typeof createSessionHarness>, sub = 'ada') => ({
  api: async () => {
    const { accessToken, idToken, refreshToken } = await harness.issue({ sub });
    const result = { AccessToken: accessToken, IdToken: idToken, RefreshToken: refreshToken };
    return { body: { AuthenticationResult: result } };
  },
});
const failWith = (__type: string, message = 'Refresh Token has expired') => ({
  api: () => ({ status: 400, body: { __type, message } }),
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
    pool.script({ revoke: () => ({ status: 400 }) });
    const { harness, browser, session, hash } = await signedIn();
    await harness.signOut(browser, session);
    expect(harness.logged[1]).toMatchObject({
      level: 'warn',
      msg: 'revoking the refresh token failed',
      session: hash,
      err: { code: 'RevocationFailed' },
    });
  });

  it('has a line for a refresh', async () => {
    const { harness, browser, hash } = await signedIn();
    pool.script(succeed(harness));
    harness.time.now += HOUR;
    await harness.visit(browser);
    expect(harness.logged).toMatchObject([{ level: 'info', msg: 'tokens refreshed', session: hash }]);
  });

  it('has a line for a refresh that the user pool rejects', async () => {
    const { harness, browser, hash } = await signedIn();
    pool.script(failWith('NotAuthorizedException'));
    harness.time.now += HOUR;
    await harness.visit(browser);
    expect(harness.logged).toMatchObject([
      {
        level: 'info',
        msg: 'token refresh rejected: session ended',
        session: hash,
        err: { code: 'NotAuthorizedException' },
      },
    ]);
  });

  it('has a warning for a refresh that fails', async () => {
    const { harness, browser, hash } = await signedIn();
    pool.script(failWith('SomethingNewException'));
    harness.time.now += HOUR;
    await harness.visit(browser);
    expect(harness.logged).toMatchObject([
      {
        level: 'warn',
        msg: 'token refresh failed: session continues',
        session: hash,
        err: { code: 'SomethingNewException' },
      },
    ]);
  });

  it('has a warning for new tokens of another user', async () => {
    const { harness, browser, hash } = await signedIn();
    pool.script(succeed(harness, 'mallory'));
    harness.time.now += HOUR;
    await harness.visit(browser);
    expect(harness.logged).toMatchObject([
      {
        level: 'warn',
        msg: 'token refresh failed: session continues',
        session: hash,
        err: { message: 'the new tokens are for another user' },
      },
    ]);
  });

  it('has an error with a fix for a refresh that fails because of the configuration', async () => {
    const { harness, browser, hash } = await signedIn();
    pool.script(failWith('NotAuthorizedException', 'Unable to verify secret hash for client abc'));
    harness.time.now += HOUR;
    await harness.visit(browser);
    expect(harness.logged).toMatchObject([
      {
        level: 'error',
        msg: 'configuration error',
        session: hash,
        fix: expect.stringContaining('COGNITO_CLIENT_SECRET'),
      },
    ]);
  });

  it('has an error for new tokens that are too long for cookies, and the browser keeps its cookie', async () => {
    const { harness, browser, hash } = await signedIn();
    pool.script({
      api: async () => {
        const { accessToken, idToken } = await harness.issue({ sub: 'ada', groups: 'x'.repeat(40_000) });
        return { body: { AuthenticationResult: { AccessToken: accessToken, IdToken: idToken } } };
      },
    });
    harness.time.now += HOUR;
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
    const { harness, browser, session } = await signedIn();
    harness.time.now += HOUR;
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
    const { harness, browser, session } = await signedIn();
    const old = browser.copy();
    harness.time.now += HOUR;
    pool.script(failWith('SomethingNewException'));
    await harness.visit(browser);
    await harness.visit(browser);
    harness.time.now += 1000;
    pool.script({ ...succeed(harness), revoke: () => ({}) });
    await Promise.all([harness.visit(browser), harness.visit(old)]);
    expect(harness.refreshes).toEqual(['unavailable', 'unavailable', 'refreshed']);
    harness.time.now += HOUR;
    pool.script(failWith('NotAuthorizedException'));
    await Promise.all([harness.visit(browser.copy()), harness.visit(browser.copy())]);
    await harness.visit(browser);
    await harness.signOut(old.copy(), session);
    await harness.visit(old);
    expect(harness.refreshes.slice(3)).toEqual(['refused', 'refused', 'closed']);
  });
});
