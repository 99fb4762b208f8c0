import { describe, expect, it } from 'vitest';
import { noMetrics } from '../../../../app/server/observability/metrics.ts';
import { addressBlock, rateLimitKey, rateLimitOf } from '../../../../app/server/rate-limit/rate-limit.ts';
import { createRateLimiter } from '../../../../app/server/rate-limit/rate-limiter.ts';
import { createInMemoryStore } from '../../../../app/server/shared-store/in-memory-store.ts';

describe('a rate limit', () => {
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

describe('the rate limiter', () => {
  it('counts each kind of request and each visitor separately', async () => {
    // At this scale every limit allows one request.
    const limit = createRateLimiter({
      store: createInMemoryStore(() => 1_800_000_000_000),
      env: { rateLimitScale: 0.00001 },
      metrics: noMetrics,
    });
    const anonymous = { state: 'anonymous' } as const;
    expect(await limit('api/graphql', anonymous, '192.0.2.1')).toBeNull();
    expect(await limit('api/graphql', anonymous, '192.0.2.1')).toMatchObject({ status: 429 });
    expect(await limit('api/identity', anonymous, '192.0.2.1')).toBeNull();
    expect(await limit('api/graphql', anonymous, '192.0.2.2')).toBeNull();
  });
});

describe('who is limited', () => {
  it('has one bucket per session, and one per address', () => {
    expect(rateLimitKey({ sessionId: 'a' })).toBe(rateLimitKey({ sessionId: 'a' }));
    expect(rateLimitKey({ sessionId: 'a' })).not.toBe(rateLimitKey({ sessionId: 'b' }));
    expect(rateLimitKey({ address: '192.0.2.1' })).toBe(rateLimitKey({ address: '192.0.2.1' }));
    expect(rateLimitKey({ address: '192.0.2.1' })).not.toBe(rateLimitKey({ address: '192.0.2.2' }));
    expect(rateLimitKey({ address: 'a' })).not.toBe(rateLimitKey({ sessionId: 'a' }));
  });

  it('cannot be derived from the key', () => {
    expect(rateLimitKey({ sessionId: 'the-session' })).not.toContain('the-session');
    expect(rateLimitKey({ address: '192.0.2.1' })).toMatch(/^[\w-]{22}$/);
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
