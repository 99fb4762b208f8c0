import { describe, expect, it } from 'vitest';
import { openDueVisitor, refreshResponse } from '../../../../tests/support/sign-in/due-visitor.ts';
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';
import { sessionHash } from '../../src/session/session-hash.ts';

const pool = await shareUserPool();

describe('the log', () => {
  it('has a line for a revocation that fails', async () => {
    const { harness, browser, session } = await openDueVisitor(pool);
    pool.script({ revoke: () => ({ status: 400 }) });
    await harness.signOut(browser, session);
    expect(harness.logged.at(-1)).toMatchObject({
      level: 'warn',
      msg: 'revoking the refresh token failed',
      session: sessionHash(session.id),
      err: { code: 'RevocationFailed' },
    });
  });

  it('has an error for new tokens that are too long for cookies, and the browser keeps its cookie', async () => {
    const { harness, browser, session: before } = await openDueVisitor(pool);
    const claims = { sub: 'ada', groups: 'x'.repeat(40_000) };
    pool.script({ api: async () => refreshResponse(await harness.issue(claims)) });
    const { session, setCookies } = await harness.visit(browser);
    expect([session.state, setCookies]).toEqual(['signed-in', []]);
    expect(harness.logged.at(-1)).toMatchObject({
      level: 'error',
      msg: 'saving the session failed',
      session: sessionHash(before.id),
      err: { message: expect.stringContaining('the maximum is 8') },
    });
  });

  it('has a warning for the revocation of new tokens that fails', async () => {
    const { harness, browser, session } = await openDueVisitor(pool);
    pool.script({
      revoke: () => ({ status: 503 }),
      api: async () => {
        await harness.signOut(browser.copy(), session);
        return refreshResponse(await harness.issue({ sub: 'ada' }));
      },
    });
    await harness.visit(browser);
    expect(harness.logged.at(-1)).toMatchObject({
      level: 'warn',
      msg: 'revoking the refresh token failed',
      session: sessionHash(session.id),
      err: { code: 'RevocationFailed' },
    });
  });
});
