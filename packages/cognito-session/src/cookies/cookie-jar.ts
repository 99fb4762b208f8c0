/**
 * The cookies of a request, and those that its response sets. A jar collects the cookies of the response, which are
 * written once, with its head. A later value of a name replaces an earlier one, so a sign-out overrides a refresh.
 */
import { parseCookie, stringifySetCookie } from 'cookie';

export type CookieAttributes = {
  /** In seconds; 0 deletes the cookie. Without it the cookie lasts until the browser closes. */
  maxAge?: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: 'strict' | 'lax' | 'none';
};

export type ResponseCookies = {
  /** Sets `name`. `value` must already consist of cookie octets (RFC 6265 section 4.1.1). */
  set(name: string, value: string, attributes: CookieAttributes): void;
  /** Deletes `name`. Browsers require the attributes it was set with for `__Host-` names. */
  delete(name: string, attributes: CookieAttributes): void;
  /** The `Set-Cookie` lines, one per name, in the order in which the names were first set. */
  lines(): string[];
};

/**
 * The property in which a request keeps its parsed cookies. Several modules read them, and they can be 20 kB long. The
 * entries of a `WeakMap` would stay in memory until the next full garbage collection.
 */
const PARSED_COOKIES = Symbol('cookies');

/** A `Request`, or another object with its headers. */
export type CookieSource = { headers: Pick<Headers, 'get'>; [PARSED_COOKIES]?: RequestCookies };

/**
 * Returns a `Set-Cookie` line with `Path=/` and no `Domain`, as `__Host-` names require (RFC 6265bis section 4.1.3.2).
 */
export function serializeCookie(name: string, value: string, attributes: CookieAttributes): string {
  return stringifySetCookie({ name, value, path: '/', ...attributes }, { encode: (octets) => octets });
}

/** Creates an empty jar for one response. */
export function createResponseCookies(): ResponseCookies {
  const lines = new Map<string, string>();
  return {
    set(name, value, attributes) {
      lines.set(name, serializeCookie(name, value, attributes));
    },
    delete(name, attributes) {
      lines.set(name, serializeCookie(name, '', { ...attributes, maxAge: 0 }));
    },
    lines: () => [...lines.values()],
  };
}

/** `get` returns the undecoded value of the first cookie with this name, or null. */
export type RequestCookies = { get(name: string): string | null; names: readonly string[] };

/** Returns the cookies of a request. They are parsed once per request. */
export function readCookies(request: CookieSource): RequestCookies {
  const parsed = request[PARSED_COOKIES];
  if (parsed) return parsed;
  const values = parseCookie(request.headers.get('cookie') ?? '', { decode: (octets) => octets });
  const cookies = { get: (name: string) => values[name] ?? null, names: Object.keys(values) };
  request[PARSED_COOKIES] = cookies;
  return cookies;
}

/**
 * Returns the first value of the cookie `name` that `parse` accepts, or null. A parent domain or another application may
 * have set a cookie of the same name, which the browser sends too.
 */
export function readValidCookie<T>(
  { headers }: CookieSource,
  name: string,
  parse: (value: string) => T | null,
): T | null {
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const [key = '', value = ''] = pair.split(/=(.*)/s);
    const parsed = key.trim() === name ? parse(value.trim()) : null;
    if (parsed !== null) return parsed;
  }
  return null;
}
