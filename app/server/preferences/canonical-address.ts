/** Redirects to the canonical address: no trailing slash, and the visitor's language on the first visit to `/`. */

import { parseReturnTo } from '@tenfold/cognito-session';
import type { Exchange, SiteResponse, Step } from '@tenfold/site-server';
import type { RemixI18Next } from 'remix-i18next/server';
import { defaultLocale, localizePath, parseLocale } from '../../i18n/locales.ts';
import type { Env } from '../config/env.ts';
import { chosenLocale, isArrival } from './locale-detection.ts';
import { rememberLocale } from './preferences.ts';
import { signInNotice } from './sign-in-notice.ts';

type RedirectDeps = {
  env: Pick<Env, 'appOrigin'> & { session: Pick<Env['session'], 'secure'> };
  i18n: Pick<RemixI18Next, 'getLocale'>;
};

type AddressedRequest = Pick<Exchange, 'method' | 'path' | 'search' | 'headers' | 'vary' | 'cookies'>;

/** Creates the step that redirects to canonical addresses. A redirect carries the cookie of a refreshed session too. */
export function createCanonicalRedirects(deps: RedirectDeps): Step {
  const withSession = async (exchange: Exchange, found: ReturnType<typeof findCanonicalRedirect>) => {
    const redirect = await found;
    if (redirect) await exchange.context();
    return redirect;
  };
  return (exchange) => {
    const found = findCanonicalRedirect(exchange, deps);
    return found && withSession(exchange, found);
  };
}

/**
 * Returns the redirect from `/fr/` to `/fr` (301, or 308 for a form, which keeps it), from `/` to the page where the visitor
 * has just signed out (302), and from `/` to the page in the visitor's language (302) unless it is English.
 */
export function findCanonicalRedirect(
  request: AddressedRequest,
  deps: RedirectDeps,
): SiteResponse | null | Promise<SiteResponse | null> {
  if (request.path === '/') return redirectToVisitorsLanguage(request, deps);
  if (!request.path.endsWith('/')) return null;
  return redirect(
    request.method === 'GET' || request.method === 'HEAD' ? 301 : 308,
    `${request.path.replace(/(?<!\/)\/+$/, '')}${request.search}`,
  );
}

/**
 * For document requests from outside the site. Detects the language and stores it in the `locale` cookie, unless the
 * visitor comes back from a sign-out.
 */
async function redirectToVisitorsLanguage(
  request: AddressedRequest,
  { env: { appOrigin, session }, i18n }: RedirectDeps,
): Promise<SiteResponse | null> {
  const { method, search, headers, vary, cookies } = request;
  const { secure } = session;
  vary.push('Accept-Language', 'Cookie');
  if (!isArrival({ method, headers })) return null;
  const { returnTo = '/' } = signInNotice.read(request, secure) ?? {};
  const page = parseReturnTo(returnTo, appOrigin);
  if (page !== '/') return redirect(302, page);
  const locale = parseLocale(await i18n.getLocale(toWebRequest(request, appOrigin))) ?? defaultLocale;
  if (!chosenLocale(request)) rememberLocale(cookies, locale, secure);
  return locale === defaultLocale ? null : redirect(302, localizePath('/', locale) + search);
}

/** The request with the headers that the detection of the language reads. */
function toWebRequest({ path, headers }: AddressedRequest, appOrigin: string): Request {
  const read = ['accept-language', 'cookie'].map((name): [string, string] => [name, headers.get(name) ?? '']);
  return new Request(appOrigin + path, { headers: read });
}

function redirect(status: 301 | 302 | 308, location: string): SiteResponse {
  return { status, headers: { location } };
}
