import { describe, expect, it } from 'vitest';
import { createResponseCookies } from '../../../../app/server/cookies/cookie-jar.ts';
import { createFlashCookie, type FlashCookie } from '../../../../app/server/cookies/flash-cookie.ts';
import { isSignInError, signInNotice } from '../../../../app/server/sign-in/sign-in-notice.ts';
import { signInErrorCodes } from '../../../../app/server/user-pool/sign-in-error.ts';
import { type CookieStore, createCookieStore } from '../../../support/sign-in/cookie-store.ts';

function setIn<Value>(browser: CookieStore, cookie: FlashCookie<Value>, value: Value): string[] {
  const jar = createResponseCookies();
  cookie.set(jar, value, true);
  browser.receive(jar);
  return jar.lines();
}

function consumeFrom<Value>(browser: CookieStore, cookie: FlashCookie<Value>): Value | null {
  const jar = createResponseCookies();
  const value = cookie.consume(browser.request(), jar, true);
  browser.receive(jar);
  return value;
}

describe('a flash cookie', () => {
  const count = createFlashCookie<number>('count', {
    serialize: String,
    parse: (text) => (/^\d+$/.test(text) ? Number(text) : null),
  });

  it('returns its value to the next request and to no later one', () => {
    const browser = createCookieStore();
    setIn(browser, count, 3);
    expect([consumeFrom(browser, count), consumeFrom(browser, count)]).toEqual([3, null]);
  });

  it('returns null for a malformed value and deletes it', () => {
    const browser = createCookieStore(new Map([['__Host-count', 'three']]));
    expect(consumeFrom(browser, count)).toBeNull();
    expect(browser.cookies.size).toBe(0);
  });

  it('has a plain name and no Secure attribute without https', () => {
    const jar = createResponseCookies();
    count.set(jar, 3, false);
    expect(jar.lines()).toEqual(['count=3; Max-Age=60; Path=/; HttpOnly; SameSite=Lax']);
  });
});

describe('the sign-in notice', () => {
  it.each([...signInErrorCodes, 'signed-out', 'sign-out-incomplete'] as const)(
    'passes on the code %s once',
    (code) => {
      const browser = createCookieStore();
      const [line] = setIn(browser, signInNotice, code);
      expect(line).toMatch(/^__Host-notice=.*; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
      expect([consumeFrom(browser, signInNotice), consumeFrom(browser, signInNotice)]).toEqual([code, null]);
    },
  );

  it('is about a failed sign-in unless it is about a sign-out', () => {
    expect(signInErrorCodes.filter(isSignInError)).toEqual(signInErrorCodes);
    for (const other of ['signed-out', 'sign-out-incomplete', null] as const) {
      expect(isSignInError(other)).toBe(false);
    }
  });

  it.each(['', 'Cancelled', '<script>', 'constructor'])(
    'ignores and deletes the unknown code %j',
    (value) => {
      const browser = createCookieStore(new Map([['__Host-notice', value]]));
      expect(consumeFrom(browser, signInNotice)).toBeNull();
      expect(browser.cookies.size).toBe(0);
    },
  );

  it('sets no cookie when the request has none', () => {
    const jar = createResponseCookies();
    expect(signInNotice.consume(createCookieStore().request(), jar, true)).toBeNull();
    expect(jar.lines()).toEqual([]);
  });
});
