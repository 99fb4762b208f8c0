/** Where the site redirects to. Every `Location` passes the one function of this file, and so does every other redirect. */
import type { Settings } from '../settings.ts';

export type LocationEnv = Pick<Settings, 'appOrigin'> & { userPool: Pick<Settings['userPool'], 'domain'> };

/**
 * Returns `location` in the form in which every client reads it alike, if a browser at the site would stay on the site
 * or go to the hosted login, else null. The value is judged as browsers parse it (WHATWG URL, section 4.4): `/\evil.example`
 * and `/x/..//evil.example` lead to another site, although they begin with one slash.
 */
export function siteLocation(location: string, { appOrigin, userPool }: LocationEnv): string | null {
  if (!URL.canParse(location, appOrigin)) return null;
  const url = new URL(location, appOrigin);
  // The origin of a `blob:` URL is that of the URL inside it.
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  if (url.origin === new URL(userPool.domain).origin) return url.href;
  if (url.origin !== appOrigin) return null;
  const path = url.pathname + url.search + url.hash;
  // `//x` as a relative address names the host x.
  return path.startsWith('//') ? url.href : path;
}
