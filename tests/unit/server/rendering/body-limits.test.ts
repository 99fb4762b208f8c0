import { describe, expect, it } from 'vitest';
import { locales } from '../../../../app/i18n/locales.ts';
import { routeIdOf } from '../../../../app/i18n/localized-page.ts';
import { createBodyLimits } from '../../../../app/server/rendering/body-limits.ts';

const KIB = 1024;

describe('the limit of a body', () => {
  // threat-model: T-087
  it.each([
    ['an operation of a signed-in visitor', 'api/graphql', true, 1024 * KIB],
    ['an operation of an anonymous visitor', 'api/graphql', false, 64 * KIB],
    ['a form of a signed-in visitor', 'preferences', true, 64 * KIB],
    ['a request without a route', null, true, 64 * KIB],
  ])('%s', (_what, routeId, isSignedIn, bytes) => {
    expect(createBodyLimits().of(routeId, isSignedIn)).toBe(bytes);
  });

  it('of a page is what the page says, in every language and for every visitor', () => {
    const [upload, name, plain] = [
      { name: 'upload', maxBodyBytes: 5 * 1024 * KIB },
      { name: 'name', maxBodyBytes: KIB },
      { name: 'plain' },
    ];
    const limits = createBodyLimits([upload, name, plain]);
    for (const locale of locales) {
      for (const isSignedIn of [true, false]) {
        const limitOf = (page: { name: string }) => limits.of(routeIdOf(page, locale), isSignedIn);
        expect([limitOf(upload), limitOf(name), limitOf(plain)]).toEqual([5 * 1024 * KIB, KIB, 64 * KIB]);
      }
    }
    expect(limits.largest).toBe(5 * 1024 * KIB);
    expect(createBodyLimits([name]).largest, 'an operation of the data API').toBe(1024 * KIB);
  });
});
