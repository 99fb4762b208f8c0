import { describe, expect, it, onTestFinished } from 'vitest';
import { noMetrics } from '../../../../app/server/metrics/metrics.ts';
import {
  isRateLimited,
  OPERATIONS,
  rateLimitKey,
  rateLimitOf,
  rejectUncounted,
} from '../../../../app/server/rate-limit/rate-limit.ts';
import {
  createRateLimiter,
  createRateLimitStep,
  tooManyRequests,
} from '../../../../app/server/rate-limit/rate-limiter.ts';
import type { Session } from '../../../../packages/cognito-session/src/session/session.ts';
import { createInMemoryStore } from '../../../../packages/cognito-session/src/shared-store/in-memory-store.ts';
import { serveSteps } from '../../../support/http/step-server.ts';

describe('a rate limit', () => {
  it.each([
    ['auth/sign-in', 'sign-in', 120, 1],
    ['auth/sign-up', 'sign-in', 120, 1],
    ['auth/callback', 'sign-in', 120, 1],
    ['auth/sign-out', 'sign-in', 120, 1],
    ['api/identity', 'identity', 30, 0.5],
    ['preferences', 'preferences', 60, 1],
    ['csp-reports', 'policy-reports', 600, 5],
  ])('is on %s, scales, and can be turned off', (route, name, burst, perSecond) => {
    expect(isRateLimited(route)).toBe(true);
    expect(rateLimitOf(route, 1)).toEqual({ name, burst, perSecond });
    expect(rateLimitOf(route, 0.5)).toEqual({ name, burst: burst / 2, perSecond: perSecond / 2 });
    expect(rateLimitOf(route, 0)).toBeNull();
  });

  it('is on operations, on whatever route', () => {
    expect(rateLimitOf(OPERATIONS, 1)).toEqual({ name: 'operations', burst: 600, perSecond: 20 });
    for (const route of [OPERATIONS, 'api/graphql']) expect(isRateLimited(route)).toBe(false);
  });

  it('allows a whole number of requests, and at least one', () => {
    expect(rateLimitOf('preferences', 0.333)).toMatchObject({ burst: 19 });
    expect(rateLimitOf('preferences', 0.0001)).toMatchObject({ burst: 1, perSecond: 0.0001 });
  });

  it('is not on pages, nor on what no route is called', () => {
    for (const id of ['home___en', 'not-found', '__proto__', 'constructor']) {
      expect(rateLimitOf(id, 1)).toBeNull();
      expect(isRateLimited(id)).toBe(false);
    }
  });
});

describe('a request that cannot be valid', () => {
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
  const frame = { ...link, 'sec-fetch-dest': 'iframe' };
  const sibling = { ...image, 'sec-fetch-site': 'same-site' };
  const own = { ...image, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' };
  const typed = { ...link, 'sec-fetch-site': 'none' };
  const prefetch = { ...link, 'sec-purpose': 'prefetch' };

  // threat-model: T-111
  it.each<[string, string, Record<string, string>, number | null]>([
    ['preferences', 'GET', image, 405],
    ['auth/sign-out', 'GET', link, 405],
    ['csp-reports', 'GET', own, 405],
    ['auth/sign-in', 'HEAD', typed, 405],
    ['auth/sign-in', 'GET', image, 403],
    ['auth/sign-up', 'GET', frame, 403],
    ['auth/callback', 'GET', sibling, 403],
    ['auth/callback', 'GET', prefetch, 403],
    ['api/identity', 'GET', link, 403],
    ['auth/sign-in', 'GET', link, null],
    ['auth/callback', 'GET', typed, null],
    ['auth/sign-up', 'GET', {}, null],
    ['api/identity', 'HEAD', own, null],
    ['preferences', 'POST', own, null],
    ['home___en', 'GET', image, null],
  ])('of %s by %s with %j is rejected with %s', (route, method, headers, status) => {
    const rejection = rejectUncounted(route, { method, headers: new Headers(headers) });
    expect(rejection?.status ?? null).toBe(status);
  });
});

/** A limiter at a scale at which every limit allows one request, and the names of the limits that were exceeded. */
function openLimiter() {
  const limited: string[] = [];
  const limit = createRateLimiter({
    store: createInMemoryStore(() => 1_800_000_000_000),
    env: { rateLimitScale: 0.0001 },
    metrics: { ...noMetrics, rateLimited: (name) => void limited.push(name) },
  });
  return { limit, limited };
}

const anonymous: Session = { state: 'anonymous' };
describe('the rate limiter', () => {
  it('counts each kind of request and each visitor separately', async () => {
    const { limit } = openLimiter();
    expect(await limit(OPERATIONS, null, '192.0.2.1')).toBe(0);
    expect(await limit(OPERATIONS, null, '192.0.2.1')).toBeGreaterThan(0);
    expect(await limit('api/identity', null, '192.0.2.1')).toBe(0);
    expect(await limit(OPERATIONS, null, '192.0.2.2')).toBe(0);
  });

  it('counts signed-in visitors by their session, whatever their address is', async () => {
    const { limit } = openLimiter();
    expect(await limit(OPERATIONS, 'one', '192.0.2.1')).toBe(0);
    expect(await limit(OPERATIONS, 'two', '192.0.2.1')).toBe(0);
    expect(await limit(OPERATIONS, null, '192.0.2.1')).toBe(0);
    expect(await limit(OPERATIONS, 'one', '192.0.2.2')).toBeGreaterThan(0);
  });

  it('counts all routes of the sign-in together', async () => {
    const { limit } = openLimiter();
    expect(await limit('auth/sign-in', null, '192.0.2.1')).toBe(0);
    for (const route of ['auth/sign-up', 'auth/callback', 'auth/sign-out']) {
      expect(await limit(route, null, '192.0.2.1'), route).toBeGreaterThan(0);
    }
  });

  it('says when the next request is allowed, and counts the rejection by the name of the limit', async () => {
    const { limit, limited } = openLimiter();
    await limit('auth/sign-up', null, '192.0.2.1');
    expect(limited).toEqual([]);
    expect(tooManyRequests(await limit('auth/sign-up', null, '192.0.2.1'))).toEqual({
      status: 429,
      code: 'TooManyRequests',
      message: 'Too many requests: see Retry-After.',
      // One request per second, at a scale of 0.0001.
      headers: { 'retry-after': '10000' },
    });
    expect(limited).toEqual(['sign-in']);
  });

  it('allows any number of requests of a route without a limit', async () => {
    const { limit, limited } = openLimiter();
    for (const _again of [1, 2, 3]) expect(await limit('home___en', null, '192.0.2.1')).toBe(0);
    expect(limited).toEqual([]);
  });
});

describe('the step of the pipeline', () => {
  /** A server whose requests all belong to `routeId`. It rejects the second request of an address. */
  async function serve(routeId: string | null) {
    const rejections: string[] = [];
    let opened = 0;
    const { limit } = openLimiter();
    const server = await serveSteps<{ session: Session }>(
      () => [
        (exchange) => {
          exchange.routeId = routeId;
          return null;
        },
        createRateLimitStep({
          limitRate: limit,
          addressOf: ({ headers }) => String(headers['x-address']),
          reject: (exchange, { status, code }) => {
            rejections.push(`${exchange.path} ${code}`);
            return { status, headers: {}, body: code };
          },
        }),
      ],
      {
        get session() {
          opened += 1;
          return anonymous;
        },
      },
    );
    onTestFinished(server.close);
    const statusFor = async (address: string) =>
      (await server.get('/path', { method: 'POST', headers: { 'x-address': address } })).status;
    return { statusFor, rejections, opened: () => opened };
  }

  it('rejects requests beyond the limit and leaves the others to the next step', async () => {
    const { statusFor, rejections } = await serve('preferences');
    expect([await statusFor('192.0.2.1'), await statusFor('192.0.2.2')]).toEqual([404, 404]);
    expect(rejections).toEqual([]);
    expect([await statusFor('192.0.2.1'), await statusFor('192.0.2.3')]).toEqual([429, 404]);
    expect(rejections).toEqual(['/path TooManyRequests']);
  });

  it.each([null, 'home___en'])('opens no session for the route %s', async (routeId) => {
    const { statusFor, opened } = await serve(routeId);
    for (const _again of [1, 2]) expect(await statusFor('192.0.2.1')).toBe(404);
    expect(opened()).toBe(0);
  });
});

it('who is limited cannot be derived from the key, and a session is not mistaken for an address', () => {
  expect(rateLimitKey({ sessionId: 'a' })).toMatch(/^[\w-]{22}$/);
  expect(rateLimitKey({ address: '192.0.2.1' })).toMatch(/^[\w-]{22}$/);
  expect(rateLimitKey({ sessionId: 'a' })).not.toBe(rateLimitKey({ address: 'a' }));
});
