import { describe, expect, it } from 'vitest';
import type { MessageSuccess } from '~/pages/test-message/message-outcome.ts';
import { outcomeCookie } from '~/pages/test-message/outcome-cookie.server.ts';
import { createResponseCookies } from '~/server/cookies/cookie-jar.ts';
import { createCookieStore } from '../../support/sign-in/cookie-store.ts';

const posted: MessageSuccess = {
  type: 'posted',
  timing: { session: 0.4, identity: 12, sign: 0.3, upstream: 20.1, identityCached: false, attempts: 2 },
};

function visit(browser: ReturnType<typeof createCookieStore>): MessageSuccess | null {
  const jar = createResponseCookies();
  const outcome = outcomeCookie.consume(browser.request('/test-message'), jar, true);
  browser.receive(jar);
  return outcome;
}

describe('how a form went', () => {
  it.each<MessageSuccess>([posted, { type: 'deleted' }])(
    'is told by the next page, once: $type',
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
    ['no base64url', '!!!'],
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['another shape', encode({ type: 'posted' })],
    ['numbers that no call takes', encode({ ...posted, timing: { ...posted, session: -1 } })],
    ['text in place of a number', encode({ type: 'posted', timing: { ...posted.timing, session: '<b>' } })],
  ])('is not told of a cookie with %s, which goes', (_name, value) => {
    const browser = createCookieStore(new Map([['__Host-outcome', value]]));
    expect(visit(browser)).toBeNull();
    expect(browser.cookies.size).toBe(0);
  });

  it('has the attributes that its name demands', () => {
    const jar = createResponseCookies();
    outcomeCookie.set(jar, posted, true);
    expect(jar.lines()).toEqual([
      expect.stringMatching(/^__Host-outcome=[\w-]+; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
  });
});

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
