import { describe, expect, it } from 'vitest';
import { isSignInError, type SignInNotice, signInNotice } from '~/server/preferences/sign-in-notice.ts';
import { createResponseCookies } from '../../../../packages/cognito-session/src/cookies/cookie-jar.ts';
import { signInErrorCodes } from '../../../../packages/cognito-session/src/user-pool/sign-in-error.ts';
import { type CookieStore, createCookieStore } from '../../../support/sign-in/cookie-store.ts';

function setIn(browser: CookieStore, code: SignInNotice): string[] {
  const jar = createResponseCookies();
  signInNotice.set(jar, { code }, true);
  browser.receive(jar);
  return jar.lines();
}

function consumeFrom(browser: CookieStore): SignInNotice | null {
  const jar = createResponseCookies();
  const notice = signInNotice.consume(browser.request(), jar, true);
  browser.receive(jar);
  return notice?.code ?? null;
}

describe('the sign-in notice, a flash cookie', () => {
  it.each([...signInErrorCodes, 'signed-out', 'sign-out-incomplete', 'sign-out-unconfirmed'] as const)(
    'passes on the code %s once',
    (code) => {
      const browser = createCookieStore();
      const [line] = setIn(browser, code);
      expect(line).toMatch(/^__Host-notice=.*; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
      expect([consumeFrom(browser), consumeFrom(browser)]).toEqual([code, null]);
    },
  );

  it('is about a failed sign-in unless it is about a sign-out', () => {
    expect(signInErrorCodes.filter(isSignInError)).toEqual(signInErrorCodes);
    for (const other of ['signed-out', 'sign-out-incomplete', 'sign-out-unconfirmed', null] as const) {
      expect(isSignInError(other)).toBe(false);
    }
  });

  it.each(['', 'Cancelled', 'constructor'])('ignores and deletes the unknown code %j', (value) => {
    const browser = createCookieStore(new Map([['__Host-notice', value]]));
    expect(consumeFrom(browser)).toBeNull();
    expect(browser.cookies.size).toBe(0);
  });

  it('has a plain name and no Secure attribute without https', () => {
    const jar = createResponseCookies();
    signInNotice.set(jar, { code: 'signed-out' }, false);
    expect(jar.lines()).toEqual(['notice=signed-out; Max-Age=60; Path=/; HttpOnly; SameSite=Lax']);
  });

  it('sets no cookie when the request has none', () => {
    const jar = createResponseCookies();
    expect(signInNotice.consume(createCookieStore().request(), jar, true)).toBeNull();
    expect(jar.lines()).toEqual([]);
  });
});
