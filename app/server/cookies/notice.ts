/** Why the last sign-in came to nothing, kept in a cookie from the redirect to the page that tells it. */
import { type SignInErrorCode, signInErrorCodes } from '../user-pool/sign-in-error.ts';
import { type CookieAttributes, type ResponseCookies, readCookies } from './cookie-jar.ts';
import { cookieName } from './sealed-cookie.ts';

const MAX_AGE = 60;

/** Leaves a note for the page that the visitor is sent to. A minute later it would surprise, so it is gone by then. */
export function setNotice(cookies: ResponseCookies, code: SignInErrorCode, secure: boolean): void {
  cookies.set(cookieName('notice', secure), code, { ...attributes(secure), maxAge: MAX_AGE });
}

/** What the request's note says, if it is one of the site's own, and removes it: a note is told once. */
export function takeNotice(
  request: Request,
  cookies: ResponseCookies,
  secure: boolean,
): SignInErrorCode | null {
  const name = cookieName('notice', secure);
  const value = readCookies(request).get(name);
  if (value === null) return null;
  cookies.delete(name, attributes(secure));
  return signInErrorCodes.find((code) => code === value) ?? null;
}

function attributes(secure: boolean): CookieAttributes {
  return { httpOnly: true, secure, sameSite: 'lax' };
}
