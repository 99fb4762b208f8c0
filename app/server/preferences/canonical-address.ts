/** Where a request should have gone: one address for each page, and the visitor's language on a first visit. */
import type { AppLoadContext } from '@remix-run/node';
import { defaultLocale, localizePath } from '../../i18n/locales.ts';
import { isForDocument } from '../http/document-request.ts';
import { detectLocale } from './locale-detection.ts';
import { rememberLocale } from './preferences.ts';

export type AddressRedirect = { status: 301 | 302; location: string };

/** `/fr/` is `/fr`: the same path without its trailing slash, query kept; or null when it has none. */
export function withoutTrailingSlash(target: string): AddressRedirect | null {
  const [path = '', ...query] = target.split('?');
  if (path === '/' || !path.endsWith('/')) return null;
  return { status: 301, location: [path.replace(/\/+$/, '') || '/', ...query].join('?') };
}

/**
 * On a document request for bare `/` from outside the site: detects the language, remembers it, and answers the redirect to it unless it is
 * English. Null for every other request, so that an address with a language in it always shows that language.
 */
export async function toVisitorsLanguage(
  request: Request,
  { cookies, env }: Pick<AppLoadContext, 'cookies' | 'env'>,
): Promise<AddressRedirect | null> {
  const url = new URL(request.url);
  if (url.pathname !== '/' || !isArrival(request)) return null;
  const { locale, remember } = await detectLocale(request);
  if (remember) rememberLocale(cookies, locale, env.appOrigin.startsWith('https:'));
  return locale === defaultLocale ? null : { status: 302, location: localizePath('/', locale) + url.search };
}

/** Who follows a link of the site itself to `/` wants the English page; without scripts that is a document request too. */
function isArrival(request: Request): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && isForDocument(request) && request.headers.get('sec-fetch-site') !== 'same-origin';
}
