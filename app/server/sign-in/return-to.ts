import { MAX_RETURN_TO_LENGTH } from '../../i18n/localized-page.ts';
import { hasControlCharacter } from '../http/request-filter.ts';

const HOME = '/';

/**
 * Returns the path, query and fragment of `value` if it is an address of this site, else `/`. The value is parsed as
 * browsers do (WHATWG URL) instead of being compared by its prefix. The routes below `/auth` are not allowed.
 */
export function parseReturnTo(value: unknown, appOrigin: string): string {
  // Browsers remove tabs and line breaks anywhere in an address.
  if (typeof value !== 'string' || value.length > MAX_RETURN_TO_LENGTH || hasControlCharacter(value))
    return HOME;
  const url = parseOnSite(value, appOrigin);
  if (!url || isAuthPath(url.pathname)) return HOME;
  const path = url.pathname + url.search + url.hash;
  // `/.//evil.example` parses to the path `//evil.example`, which leads to another site when used as a `Location`.
  return path.startsWith('//') ? HOME : path;
}

function parseOnSite(value: string, appOrigin: string): URL | null {
  if (!URL.canParse(value, appOrigin)) return null;
  const url = new URL(value, appOrigin);
  // The origin of a `blob:` URL is that of the URL inside it.
  return url.origin === appOrigin && appOrigin.startsWith(url.protocol) ? url : null;
}

/** Routes match decoded paths, so the path is decoded here too. */
function isAuthPath(pathname: string): boolean {
  try {
    return /^\/auth(?:\/|$)/i.test(decodeURIComponent(pathname));
  } catch {
    return true;
  }
}
