import { describe, expect, it } from 'vitest';
import { createResponseCookies } from '../../../../app/server/cookies/cookie-jar.ts';
import { setNotice, takeNotice } from '../../../../app/server/cookies/notice.ts';
import { signInErrorCodes } from '../../../../app/server/user-pool/sign-in-error.ts';
import { createCookieStore } from '../../../support/sign-in/cookie-store.ts';

const takeFrom = (browser: ReturnType<typeof createCookieStore>) => {
  const jar = createResponseCookies();
  const notice = takeNotice(browser.request(), jar, true);
  browser.receive(jar);
  return notice;
};

describe('a notice', () => {
  it.each(signInErrorCodes)('%s is told once', (code) => {
    const browser = createCookieStore();
    const jar = createResponseCookies();
    setNotice(jar, code, true);
    browser.receive(jar);
    expect(jar.lines()[0]).toMatch(/^__Host-notice=.*; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect([takeFrom(browser), takeFrom(browser)]).toEqual([code, null]);
  });

  it.each(['', 'Cancelled', '<script>', 'constructor'])(
    "that is none of the site's own is not told, and goes: %j",
    (value) => {
      const browser = createCookieStore(new Map([['__Host-notice', value]]));
      expect(takeFrom(browser)).toBeNull();
      expect(browser.cookies.size).toBe(0);
    },
  );

  it('is no reason to set a cookie where there is none', () => {
    const jar = createResponseCookies();
    expect(takeNotice(createCookieStore().request(), jar, true)).toBeNull();
    expect(jar.lines()).toEqual([]);
  });
});
