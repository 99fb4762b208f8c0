/**
 * Which requests ask for a page that is the same for everyone who has not signed in. It takes only what the gate would
 * let through and what no cookie but `theme` and `locale` has a say in; whatever is in doubt is somebody else's.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parseCookie } from 'cookie';
import { defaultLocale, parseLocale } from '../../i18n/locales.ts';
import { defaultTheme, parseTheme, type Theme } from '../../theme/theme.ts';
import type { Env } from '../config/env.ts';
import { cookieName } from '../cookies/sealed-cookie.ts';
import { type Asked, describeAsked } from '../observability/request-log.ts';
import { acceptedLanguages } from '../preferences/locale-detection.ts';
import { LOCALE_COOKIE, THEME_COOKIE } from '../preferences/preferences.ts';

/** A page by what can be asked of it. */
export type AnonymousPage = Readonly<Record<'GET' | 'HEAD', Asked>>;

/** The page of a route at its path. */
export function anonymousPage(route: string, path: string): AnonymousPage {
  return { GET: describeAsked(route, 'GET', path), HEAD: describeAsked(route, 'HEAD', path) };
}

/** `isFirst`: the visitor came to `/` without having chosen a language, and English is to be remembered. */
export type AnonymousVisit = { asked: Asked; theme: Theme; isFirst: boolean };

/** What a page may tell its visitor alone: the session, why a sign-in failed, how a form went. */
const PERSONAL_COOKIES = ['session', 'notice', 'outcome'];

type Cookies = Record<string, string | undefined>;

/** Reads requests for the path of one of `pages`, written exactly so and without a query. Null: not such a visit. */
export function createAnonymousVisits(
  env: { appOrigin: string; session: Pick<Env['session'], 'secure'> },
  pages: ReadonlyMap<string, AnonymousPage>,
): (request: Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>) => AnonymousVisit | null {
  const { host } = new URL(env.appOrigin);
  const personal = PERSONAL_COOKIES.map((name) => cookieName(name, env.session.secure));

  return ({ method, url = '', headers, rawHeaders }) => {
    const asked = method === 'GET' || method === 'HEAD' ? pages.get(url)?.[method] : undefined;
    if (!asked || !isDocumentOf(host, headers) || hasTwoHosts(rawHeaders)) return null;
    const cookies: Cookies = headers.cookie
      ? parseCookie(headers.cookie, { decode: (octets) => octets })
      : {};
    for (const name in cookies) {
      // A session may come in several cookies, and be broken: also then it is for others to judge.
      if (personal.some((start) => name.startsWith(start))) return null;
    }
    const stay = url === '/' ? staysAtRoot(headers, cookies) : 'known';
    if (stay === 'leaves') return null;
    return { asked, theme: parseTheme(cookies[THEME_COOKIE]) ?? defaultTheme, isFirst: stay === 'first' };
  };
}

/** The gate's rules for a request that reads: this host, and no body. */
function isDocumentOf(host: string, headers: IncomingHttpHeaders): boolean {
  return (
    headers.host?.toLowerCase() === host &&
    (headers['sec-fetch-dest'] ?? 'document') === 'document' &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  );
}

/** Node keeps the first of them, where a proxy in front may have read the other. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** Whether bare `/` shows itself, or is left for another language: see `toVisitorsLanguage`. */
function staysAtRoot(headers: IncomingHttpHeaders, cookies: Cookies): 'known' | 'first' | 'leaves' {
  if (headers['sec-fetch-site'] === 'same-origin') return 'known';
  const chosen = parseLocale(cookies[LOCALE_COOKIE]);
  if (chosen) return chosen === defaultLocale ? 'known' : 'leaves';
  const [best = defaultLocale.code] = acceptedLanguages(headers['accept-language'] ?? '');
  return best === defaultLocale.code ? 'first' : 'leaves';
}
