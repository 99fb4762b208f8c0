import { describe, expect, it } from 'vitest';
import type { MessageSuccess } from '~/pages/test-message/message-outcome.ts';
import { outcomeCookie } from '~/pages/test-message/outcome-cookie.server.ts';
import { createResponseCookies } from '~/server/cookies/cookie-jar.ts';
import { createCookieStore } from '../../../support/sign-in/cookie-store.ts';

const posted = {
  type: 'posted',
  id: '01M7YRRT800000000000000000',
  timing: { session: 0.4, identity: 12, sign: 0.3, upstream: 20.1, identityCached: false, attempts: 2 },
} as const satisfies MessageSuccess;

function visit(browser: ReturnType<typeof createCookieStore>): MessageSuccess | null {
  const jar = createResponseCookies();
  const outcome = outcomeCookie.consume(browser.request('/test-message'), jar, true);
  browser.receive(jar);
  return outcome;
}

describe('the outcome cookie', () => {
  it.each<MessageSuccess>([posted, { type: 'deleted' }])(
    'is read once by the next page: $type',
    (outcome) => {
      const browser = createCookieStore();
      const jar = createResponseCookies();
      outcomeCookie.set(jar, outcome, true);
      browser.receive(jar);
      expect(visit(browser)).toEqual(outcome);
      expect(visit(browser)).toBeNull();
    },
  );

  it.each([
    ['invalid JSON', Buffer.from('{').toString('base64url')],
    ['another shape', encode({ type: 'posted' })],
    ['numbers out of range', encode({ ...posted, timing: { ...posted.timing, session: -1 } })],
    ['text instead of a number', encode({ ...posted, timing: { ...posted.timing, session: '<b>' } })],
  ])('with %s is ignored and removed', (_name, value) => {
    const browser = createCookieStore(new Map([['__Host-outcome', value]]));
    expect(visit(browser)).toBeNull();
    expect(browser.cookies.size).toBe(0);
  });
});

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
