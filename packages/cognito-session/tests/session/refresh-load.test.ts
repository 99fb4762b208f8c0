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
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';
import type { Session, SignedIn } from '../../src/session/session.ts';

const pool = await shareUserPool();

function hasTokensOf(session: Session, { tokens }: SignedIn): boolean {
  return session.state === 'signed-in' && session.tokens.accessToken === tokens.accessToken;
}

describe('refreshes of many requests', () => {
  // threat-model: T-030
  it('run once for a thousand concurrent requests, and all of them get the new tokens', async () => {
    const { harness, browser, session } = await openDueVisitor(pool);
    // A visit waits for a refresh for a few seconds, then keeps the old tokens, which are still valid.
    const visit = async () => {
      let visited = await harness.visit(browser.copy());
      while (hasTokensOf(visited.session, session)) visited = await harness.visit(browser.copy());
      return visited;
    };
    const visits = await Promise.all(Array.from({ length: 1000 }, visit));
    expect(pool.received.api).toHaveLength(1);
    expect(new Set(visits.map(({ session }) => JSON.stringify(session))).size).toBe(1);
    expect(visits.every(({ setCookies }) => setCookies.length > 0)).toBe(true);
    expect(visits[0]?.session.state).toBe('signed-in');
  });

  // threat-model: T-034
  it('never give one session the tokens of another', async () => {
    const harness = createSessionHarness(pool);
    const owners: TokenOwners = new Map();
    const visitors = await Promise.all(
      Array.from({ length: 50 }, (_, index) => signInAs(harness, `user-${index}`, owners)),
    );
    rotate(pool, harness, owners);
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

  it('open the circuit breaker when they fail for several visitors, and succeed when the user pool recovers', async () => {
    const harness = createSessionHarness(pool);
    const visitors = await Promise.all(Array.from({ length: 6 }, () => harness.signIn()));
    pool.script({ api: () => 'reset' });
    harness.time.now += HOUR;
    for (const { browser } of visitors) {
      expect((await harness.visit(browser)).session.state).toBe('signed-in');
    }
    expect(pool.received.api).toHaveLength(5 * 3);
    pool.script({ api: async () => refreshResponse(await harness.issue()) });
    harness.time.now += 10_000;
    for (const { browser, session } of visitors) {
      expect((await harness.visit(browser)).session).not.toEqual(session);
    }
  });
});
