import { describe, expect, it } from 'vitest';
import {
  addressBlock,
  rateLimitKey,
  rateLimitOf,
  takeOne,
} from '../../../../app/server/rate-limit/rate-limit.ts';
import { createSingleMachineStore } from '../../../../app/server/shared-store/shared-store.ts';

const limit = { name: 'test', burst: 3, perSecond: 2 };

/** A store whose time is in the test's hand. */
function openStore() {
  const time = { now: 1_800_000_000_000 };
  return { time, ...createSingleMachineStore(() => time.now) };
}

describe('a rate limit', () => {
  it('lets a burst through, then says when the next one may come, and means it', async () => {
    const { time, take } = openStore();
    for (let request = 0; request < 3; request++)
      expect(await take('ada', limit)).toEqual({ retryAfterMs: 0 });
    expect(await take('ada', limit)).toEqual({ retryAfterMs: 500 });
    time.now += 499;
    expect((await take('ada', limit)).retryAfterMs).toBe(1);
    time.now += 1;
    expect((await take('ada', limit)).retryAfterMs).toBe(0);
    expect((await take('ada', limit)).retryAfterMs).toBe(500);
  });

  it('does not count what it refused', async () => {
    const { time, take } = openStore();
    for (let request = 0; request < 100; request++) await take('ada', limit);
    time.now += 1500;
    for (let request = 0; request < 3; request++) expect((await take('ada', limit)).retryAfterMs).toBe(0);
  });

  it('never lets more through than the burst and what came back since', async () => {
    const { time, take } = openStore();
    let allowed = 0;
    for (let ms = 0; ms < 60_000; ms += 7) {
      time.now += 7;
      if ((await take('ada', limit)).retryAfterMs === 0) allowed += 1;
    }
    expect(allowed).toBeGreaterThanOrEqual(120);
    expect(allowed).toBeLessThanOrEqual(3 + 120);
  });

  it('of one visitor, and one kind, is not another’s', async () => {
    const { take } = openStore();
    for (let request = 0; request < 4; request++) await take('ada', limit);
    expect((await take('ben', limit)).retryAfterMs).toBe(0);
    expect((await take('ada', { ...limit, name: 'other' })).retryAfterMs).toBe(0);
  });

  // threat-model: T-039
  it('keeps a bounded number of visitors in memory', async () => {
    const { take } = openStore();
    for (let request = 0; request < 4; request++) await take('ada', limit);
    for (let visitor = 0; visitor < 50_000; visitor++) await take(`visitor ${visitor}`, limit);
    expect((await take('ada', limit)).retryAfterMs).toBe(0);
  });

  it('is full again after a long time, not fuller', () => {
    const taken = takeOne(5, 1_000_000, limit);
    expect(taken).toEqual({ retryAfterMs: 0, fullAt: 1_000_500 });
  });

  it.each(['auth/sign-in', 'auth/sign-up', 'auth/callback', 'api/graphql', 'api/identity', 'preferences'])(
    'is on %s, scales, and can be turned off',
    (route) => {
      const { burst = 0, perSecond = 0 } = rateLimitOf(route, 1) ?? {};
      expect(burst).toBeGreaterThanOrEqual(600);
      expect(rateLimitOf(route, 0.5)).toMatchObject({ burst: burst / 2, perSecond: perSecond / 2 });
      expect(rateLimitOf(route, 0)).toBeNull();
    },
  );

  it('is not on pages, nor on what no route is called', () => {
    for (const id of ['home___en', 'not-found', '__proto__', 'constructor']) {
      expect(rateLimitOf(id, 1)).toBeNull();
    }
  });
});

describe('who is limited', () => {
  const signedIn = {
    state: 'signed-in',
    id: 'the-session',
    tokens: { accessToken: '', idToken: null, refreshToken: null, deviceKey: null, clockDrift: 0 },
    user: { sub: '', email: null, name: null },
  } as const;

  it('is the session wherever it comes from, else the address', () => {
    expect(rateLimitKey(signedIn, '192.0.2.1')).toBe(rateLimitKey(signedIn, '192.0.2.2'));
    expect(rateLimitKey({ state: 'anonymous' }, '192.0.2.1')).toBe(
      rateLimitKey({ state: 'ended' }, '192.0.2.1'),
    );
    expect(rateLimitKey({ state: 'anonymous' }, '192.0.2.1')).not.toBe(
      rateLimitKey({ state: 'anonymous' }, '192.0.2.2'),
    );
  });

  it('is not told by the key', () => {
    expect(rateLimitKey(signedIn, '')).not.toContain('the-session');
    expect(rateLimitKey({ state: 'anonymous' }, '192.0.2.1')).toMatch(/^[\w-]{22}$/);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['not an address', 'not an address'],
  ])('at %s is %s', (address, block) => expect(addressBlock(address)).toBe(block));
});
