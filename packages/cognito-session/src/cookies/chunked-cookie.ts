/**
 * A long value split into several cookies, because browsers store at most 4096 bytes per cookie (RFC 6265bis
 * section 5.6). The chunks are named `name`, `name.1`, `name.2` and so on. The first one starts with their number.
 */
import {
  type CookieAttributes,
  type CookieSource,
  type ResponseCookies,
  readCookies,
  serializeCookie,
} from './cookie-jar.ts';

const MAX_COOKIE_BYTES = 4096;

/** Enough for tokens of 20 kB. More would exceed the request header size that Node and proxies accept. */
const MAX_CHUNKS = 8;

/**
 * Returns the request's value for `name`, or null if there is none. Chunks left over from a longer value are ignored.
 * Chunks that are missing or belong to another value are not detected here: decrypting the result fails then.
 */
export function readChunkedCookie(request: CookieSource, name: string): string | null {
  const cookies = readCookies(request);
  const first = cookies.get(name);
  if (first === null) return null;
  if (!/^[1-9]\./.test(first)) return '';
  let value = first.slice('1.'.length);
  for (let index = 1; index < Number(first[0]); index++) value += cookies.get(chunkName(name, index)) ?? '';
  return value;
}

/** Returns whether the request contains `name` or any chunk of it. */
export function hasChunkedCookie(request: CookieSource, name: string): boolean {
  const { names } = readCookies(request);
  return chunkNames(name).some((each) => names.includes(each));
}

/**
 * Sets `value`, and deletes the surplus chunks that the request contained or that this response was going to set.
 * Throws a `RangeError` if the value does not fit into eight cookies.
 */
export function writeChunkedCookie(
  request: CookieSource,
  cookies: ResponseCookies,
  name: string,
  value: string,
  attributes: CookieAttributes,
): void {
  const chunks = split(value, name, attributes);
  deleteChunkedCookie(request, cookies, name, attributes);
  for (const [index, chunk] of chunks.entries()) cookies.set(chunkName(name, index), chunk, attributes);
}

/** Deletes every chunk that the request contained or that this response was going to set. */
export function deleteChunkedCookie(
  request: CookieSource,
  cookies: ResponseCookies,
  name: string,
  attributes: CookieAttributes,
): void {
  for (const known of knownNames(request, cookies, name)) cookies.delete(known, attributes);
}

function split(value: string, name: string, attributes: CookieAttributes): string[] {
  // Every chunk leaves room for the longest name. The first has the number of chunks instead of `.8` in its name.
  const overhead = serializeCookie(chunkName(name, MAX_CHUNKS), '', attributes).length;
  const size = MAX_COOKIE_BYTES - overhead;
  const count = Math.max(1, Math.ceil(value.length / size));
  if (count > MAX_CHUNKS)
    throw new RangeError(`${name} needs ${count} cookies, the maximum is ${MAX_CHUNKS}`);
  return Array.from({ length: count }, (_, index) => {
    const chunk = value.slice(index * size, (index + 1) * size);
    return index === 0 ? `${count}.${chunk}` : chunk;
  });
}

function knownNames(request: CookieSource, cookies: ResponseCookies, name: string): Set<string> {
  const setNames = cookies.lines().map((line) => line.slice(0, line.indexOf('=')));
  const known = new Set([...readCookies(request).names, ...setNames]);
  return new Set(chunkNames(name).filter((each) => known.has(each)));
}

/** The only names of chunks. A cookie with any other name is not one, however similar that is. */
export function chunkNames(name: string): string[] {
  return Array.from({ length: MAX_CHUNKS }, (_, index) => chunkName(name, index));
}

function chunkName(name: string, index: number): string {
  return index === 0 ? name : `${name}.${index}`;
}
