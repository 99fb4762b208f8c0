import { hasControlCharacter } from '../requests/same-origin.ts';
import type { AuthPaths } from '../settings.ts';

const HOME = '/';
const AUTH_PATHS = ['/auth'];
/** In characters. Longer addresses lead home. */
const MAX_LENGTH = 2048;

/**
 * Returns the path, query and fragment of `value` if it is an address of this site, else `/`. The value is parsed as
 * browsers do (WHATWG URL) instead of being compared by its prefix. What is at or below `authPaths` is not allowed.
 */
export function parseReturnTo(
  value: unknown,
  appOrigin: string,
  authPaths: readonly string[] = AUTH_PATHS,
): string {
  // Browsers remove tabs and line breaks anywhere in an address.
  if (typeof value !== 'string' || value.length > MAX_LENGTH || hasControlCharacter(value)) return HOME;
  const url = parseOnSite(value, appOrigin);
  if (!url || isBelow(authPaths, url.pathname)) return HOME;
  const path = url.pathname + url.search + url.hash;
  // `/.//evil.example` parses to the path `//evil.example`, which leads to another site when used as a `Location`.
  return path.startsWith('//') ? HOME : path;
}

/** Where no visitor returns to: the folder in which all routes of the sign-in are, or each of them. */
export function authPathsOf(paths: AuthPaths): readonly string[] {
  const all = Object.values(paths);
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
  const folder = folderOf(paths.signIn);
  return folder !== '' && all.every((path) => folderOf(path) === folder) ? [folder] : all;
}

function parseOnSite(value: string, appOrigin: string): URL | null {
  if (!URL.canParse(value, appOrigin)) return null;
  const url = new URL(value, appOrigin);
  // The origin of a `blob:` URL is that of the URL inside it.
  return url.origin === appOrigin && appOrigin.startsWith(url.protocol) ? url : null;
}

/** Routes match decoded paths, so the path is decoded here too. */
function isBelow(paths: readonly string[], pathname: string): boolean {
  try {
    const decoded = `${decodeURIComponent(pathname).toLowerCase()}/`;
    return paths.some((path) => decoded.startsWith(`${path.toLowerCase()}/`));
  } catch {
    return true;
  }
}
