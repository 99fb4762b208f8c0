/** Where a visitor may be sent back to: a path of this site, and nothing that only looks like one. */

const HOME = '/';
const MAX_LENGTH = 2048;

/**
 * The path, query and fragment of `value` if it is an address of this site, else `/`. What it means is judged as
 * browsers judge it, by parsing it against `appOrigin` (WHATWG URL), never by how it starts. The routes under `/auth`
 * are no place to come back to.
 */
export function parseReturnTo(value: unknown, appOrigin: string): string {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || hasControlCharacter(value)) return HOME;
  const url = parseOnSite(value, appOrigin);
  if (!url || isAuthPath(url.pathname)) return HOME;
  const path = url.pathname + url.search + url.hash;
  // `/.//evil.example` parses to the path `//evil.example`, which as a `Location` is another site.
  return path.startsWith('//') ? HOME : path;
}

function parseOnSite(value: string, appOrigin: string): URL | null {
  if (!URL.canParse(value, appOrigin)) return null;
  const url = new URL(value, appOrigin);
  // A `blob:` URL has the origin of what it is made of.
  return url.origin === appOrigin && /^https?:$/.test(url.protocol) ? url : null;
}

/** Routes match decoded paths, so this does too. */
function isAuthPath(pathname: string): boolean {
  try {
    return /^\/auth(?:\/|$)/i.test(decodeURIComponent(pathname));
  } catch {
    return true;
  }
}

/** Browsers drop tabs and line breaks from addresses, wherever they stand. */
function hasControlCharacter(value: string): boolean {
  return [...value].some((character) => character < ' ' || character === '\u007f');
}
