/**
 * The cookies that one response will set. Everything that a request does to cookies is collected here and written
 * once, when the head is sent: the last word on a name wins, so a sign-out beats the refresh that ran before it.
 */
import { parseCookie, stringifySetCookie } from 'cookie';

export type CookieAttributes = {
  /** Seconds; 0 deletes. Left out: until the browser closes. */
  maxAge?: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: 'strict' | 'lax' | 'none';
};

export type ResponseCookies = {
  /** Sets `name`. `value` must already consist of cookie octets (RFC 6265 section 4.1.1). */
  set(name: string, value: string, attributes: CookieAttributes): void;
  /** Deletes `name`, with the attributes it was set with, as `__Host-` names demand. */
  delete(name: string, attributes: CookieAttributes): void;
  /** The `Set-Cookie` lines, one per name, in the order in which names first came. */
  lines(): string[];
};

/**
 * Half a dozen modules ask for the cookies of one request; to read 20 kB of them once is enough. They are kept at the
 * request: what a `WeakMap` holds outlives its key until the next full garbage collection, 5 kB for each request.
 */
const READ_BEFORE = Symbol('cookies');

/** What cookies are read from: a `Request`, or whatever else has its headers. */
export type CookieSource = { headers: Pick<Headers, 'get'>; [READ_BEFORE]?: RequestCookies };

/** A `Set-Cookie` line with `Path=/` and no `Domain`, as `__Host-` names demand (RFC 6265bis section 4.1.3.2). */
export function serializeCookie(name: string, value: string, attributes: CookieAttributes): string {
  return stringifySetCookie({ name, value, path: '/', ...attributes }, { encode: (octets) => octets });
}

/** An empty jar for one response. */
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

/** Name to value, the first of a name wins; values are not decoded, and what is not there is null. */
export type RequestCookies = { get(name: string): string | null; names: readonly string[] };

/** The cookies that a request brought. */
export function readCookies(request: CookieSource): RequestCookies {
  const known = request[READ_BEFORE];
  if (known) return known;
  const values = parseCookie(request.headers.get('cookie') ?? '', { decode: (octets) => octets });
  const cookies = { get: (name: string) => values[name] ?? null, names: Object.keys(values) };
  request[READ_BEFORE] = cookies;
  return cookies;
}
