import { THEME_COOKIE } from '../../theme/theme.ts';
import type { PageCacheKey } from './page-cache-key.ts';

/**
 * Returns the request from which a page is rendered for the cache. It has what the key has and nothing else, so that the
 * page contains no data of a visitor. It is no arrival from outside: the page at `/` is the English one.
 */
export function canonicalRequest({ path, theme, offer }: PageCacheKey, appOrigin: string): Request {
  const headers = { cookie: `${THEME_COOKIE}=${theme}`, 'sec-fetch-site': 'same-origin' };
  return new Request(appOrigin + path, {
    headers: offer === null ? headers : { ...headers, 'accept-language': offer },
  });
}
