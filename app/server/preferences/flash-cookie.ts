/**
 * Flash cookies: a value that one response leaves for the next page. The page that reads it deletes it, and it expires
 * after a minute.
 */
import {
  type CookieAttributes,
  type CookieSource,
  cookieName,
  type ResponseCookies,
  readCookies,
} from '@tenfold/cognito-session';

/** `secure` selects the cookie's name and its `Secure` attribute, see `cookieName`. */
type FlashCookie<Value> = {
  set(cookies: ResponseCookies, value: Value, secure: boolean): void;
  /** Returns the request's value. Returns null if there is none or if it is malformed. */
  read(request: CookieSource, secure: boolean): Value | null;
  /** The same, and deletes the cookie. */
  consume(request: CookieSource, cookies: ResponseCookies, secure: boolean): Value | null;
};

/** `serialize` returns cookie octets (RFC 6265 section 4.1.1). `parse` gets untrusted input; null means malformed. */
type FlashCookieFormat<Value> = {
  serialize(value: Value): string;
  parse(text: string): Value | null;
};

const MAX_AGE_SECONDS = 60;

/** Creates the flash cookie called `baseName`. The value is neither encrypted nor signed. */
export function createFlashCookie<Value>(
  baseName: string,
  { serialize, parse }: FlashCookieFormat<Value>,
): FlashCookie<Value> {
  return {
    set(cookies, value, secure) {
      const attributes = { ...attributesFor(secure), maxAge: MAX_AGE_SECONDS };
      cookies.set(cookieName(baseName, secure), serialize(value), attributes);
    },
    read(request, secure) {
      const text = readCookies(request).get(cookieName(baseName, secure));
      return text === null ? null : parse(text);
    },
    consume(request, cookies, secure) {
      const name = cookieName(baseName, secure);
      const text = readCookies(request).get(name);
      if (text === null) return null;
      cookies.delete(name, attributesFor(secure));
      return parse(text);
    },
  };
}

function attributesFor(secure: boolean): CookieAttributes {
  return { httpOnly: true, secure, sameSite: 'lax' };
}
