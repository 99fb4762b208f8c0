/** Redirects to the canonical address: no trailing slash, and the visitor's language on the first visit to `/`. */
import { defaultLocale, localizePath } from '../../i18n/locales.ts';
import type { Env } from '../config/env.ts';
import { isDocumentRequest } from '../http/document-request.ts';
import type { Exchange, SiteResponse, Step } from '../http/exchange.ts';
import { detectLocale } from './locale-detection.ts';
import { rememberLocale } from './preferences.ts';

type RedirectEnv = { session: Pick<Env['session'], 'secure'> };

type AddressedRequest = Pick<Exchange, 'method' | 'path' | 'search' | 'headers' | 'vary' | 'cookies'>;

/** Creates the step that redirects to canonical addresses. A redirect carries the cookie of a refreshed session too. */
export function createCanonicalRedirects({ env }: { env: RedirectEnv }): Step {
  const withSession = async (exchange: Exchange, found: ReturnType<typeof findCanonicalRedirect>) => {
    const redirect = await found;
    if (redirect) await exchange.context();
    return redirect;
  };
  return (exchange) => {
    const found = findCanonicalRedirect(exchange, env);
    return found && withSession(exchange, found);
  };
}

/**
 * Returns the redirect from `/fr/` to `/fr` (301), and from `/` to the page in the visitor's language (302) unless it is
 * English.
 */
export function findCanonicalRedirect(
  request: AddressedRequest,
  env: RedirectEnv,
): SiteResponse | null | Promise<SiteResponse | null> {
  if (request.path === '/') return redirectToVisitorsLanguage(request, env);
  if (!request.path.endsWith('/')) return null;
  return redirect(301, `${request.path.replace(/(?<!\/)\/+$/, '')}${request.search}`);
}

/** Detects the language on document requests from outside the site, and stores it in the `locale` cookie. */
async function redirectToVisitorsLanguage(
  request: AddressedRequest,
  { session: { secure } }: RedirectEnv,
): Promise<SiteResponse | null> {
  const { method, search, headers, vary, cookies } = request;
  vary.push('Accept-Language', 'Cookie');
  if (!isArrival({ method, headers })) return null;
  const { locale, remember } = await detectLocale(request);
  if (remember) rememberLocale(cookies, locale, secure);
  return locale === defaultLocale ? null : redirect(302, localizePath('/', locale) + search);
}

/** A link of the site itself to `/` leads to the English page; without JavaScript that is a document request too. */
function isArrival({ method, headers }: Pick<Exchange, 'method' | 'headers'>): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && isDocumentRequest(headers) && headers.get('sec-fetch-site') !== 'same-origin';
}

function redirect(status: 301 | 302, location: string): SiteResponse {
  return { status, headers: { location } };
}
