/** Error responses: a small translated page for browsers, or JSON for programs. */
import { createHash } from 'node:crypto';
import { graphqlError } from '@tenfold/appsync-proxy';
import { readValidCookie } from '@tenfold/cognito-session';
import type { HeaderReader, RejectedRequest, Rejection, SiteResponse } from '@tenfold/site-server';
import { errorTexts } from '../../i18n/error-texts.ts';
import { defaultLocale, LOCALE_COOKIE, type Locale, localeOfPath, parseLocale } from '../../i18n/locales.ts';
import type { Translations } from '../../i18n/translations.server.ts';
import { siteName } from '../../site-name.ts';
import { parseTheme, THEME_COOKIE } from '../../theme/theme.ts';
import type { Metrics } from '../metrics/metrics.ts';

const GRAPHQL_PATH = '/api/graphql';

type RenderedRequest = Omit<RejectedRequest, 'rejection'>;

/** A rejection whose page shows a text of its own instead of that of the status. */
export type ExplainedRejection = Rejection & { explanation?: 'signInError.no-cookies' };

/** What a program reads of a rejection: type and text of the body. */
type ErrorBody = { type: string; json: string };

/** Problem details (RFC 9457), with the code of the rejection and the request id. `detail` is for developers. */
export function problem({ status, code, message }: Rejection, requestId: string): ErrorBody {
  const json = JSON.stringify({ status, detail: message, code, requestId });
  return { type: 'application/problem+json', json };
}

/** The error as the response of a resource route. It must not be cached. */
export function errorResponse(rejection: Rejection, requestId: string): Response {
  const { status, headers = {} } = rejection;
  const { type, json } = problem(rejection, requestId);
  const own = { 'content-type': type, 'cache-control': 'private, no-store' };
  return new Response(json, { status, headers: { ...own, ...headers } });
}

/**
 * The rejection as the response of a resource route to a browser: a page, or JSON for a client that accepts no page. It
 * must not be cached.
 */
export function rejectionResponse(
  rejection: ExplainedRejection,
  request: Request,
  { requestId, translations }: { requestId: string; translations: Translations },
): Response {
  const { url, method, headers: sent } = request;
  const rejected = { method, path: new URL(url).pathname, headers: sent, requestId };
  const { status, headers, body } = renderRejection(rejection, rejected, translations);
  const own = { 'cache-control': 'private, no-store', ...headers } as Record<string, string>;
  return new Response(String(body), { status, headers: own });
}

/**
 * Rejects a request: returns the response, counts the rejection, and records its code in `request` for the log line.
 */
export function rejectRequest(
  { metrics, translations }: { metrics: Pick<Metrics, 'rejected'>; translations: Translations },
  request: RejectedRequest,
  rejection: ExplainedRejection,
): SiteResponse {
  request.rejection = rejection.code;
  metrics.rejected(rejection.code);
  return renderRejection(rejection, request, translations);
}

/** Renders a rejection as a page or as JSON. Both contain only the code, the message and the request id. */
function renderRejection(
  rejection: ExplainedRejection,
  request: RenderedRequest,
  translations: Translations,
): SiteResponse {
  const { status, headers = {} } = rejection;
  const isForm = request.method === 'POST';
  if (isForm && request.path.endsWith('.data')) {
    return { status, headers: { 'content-type': DATA_TYPE, ...headers }, body: actionError(rejection) };
  }
  const accept = request.headers.get('accept') ?? '*/*';
  if (!/text\/html|\*\/\*/.test(accept) || request.path.startsWith('/api/')) {
    const format = request.path === GRAPHQL_PATH ? graphqlError : problem;
    const { type, json } = format(rejection, request.requestId);
    return { status, headers: { 'content-type': type, ...headers }, body: json };
  }
  const type = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY };
  return { status, headers: { ...type, ...headers }, body: errorPage(rejection, request, translations) };
}

const DATA_TYPE = 'text/x-script; charset=utf-8';

/**
 * The rejection of a form that client-side code sent, as Remix writes an error response that an action has thrown. Its data
 * are the seconds of `Retry-After`, or 0. Remix cannot write it, because the request does not reach it. A unit test
 * compares it with what Remix writes.
 */
function actionError({ status, code, headers = {} }: Rejection): string {
  const values = [Number(headers['retry-after'] ?? 0), status, code];
  return `${JSON.stringify([{ _1: 2 }, 'error', ['ErrorResponse', 3, 4, 5], ...values])}\n`;
}

const PAGE_STYLE =
  'body{font:1.125rem/1.6 system-ui,sans-serif;max-inline-size:36rem;margin:20vh auto 0;padding:0 1.5rem}h1{line-height:1.2;text-wrap:balance;word-break:auto-phrase}a{color:inherit}small{opacity:.7}';
const STYLE_HASH = createHash('sha256').update(PAGE_STYLE).digest('base64');
// Browsers ask for /favicon.ico, and Firefox applies the policy of the page to it.
const PAGE_POLICY = `default-src 'none'; img-src 'self'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'`;

function errorPage(
  { status, explanation }: ExplainedRejection,
  { method, path, headers, requestId }: RenderedRequest,
  translations: Translations,
): string {
  const locale = findLocale(path, headers);
  const i18n = translations.instance(locale.code);
  const { t } = i18n;
  const texts = errorTexts(i18n, status);
  const isTimeout = status === 408;
  const title = escapeHtml(
    isTimeout ? t('requestTimeout.title', { ns: 'server' }) : t(`error.${texts.title}.title`),
  );
  const own = isTimeout ? 'requestTimeout.description' : explanation;
  // The path is for the page that Remix renders: a rejected path may be ambiguous.
  const description = escapeHtml(
    own
      ? t(own, { ns: 'server' })
      : t(`error.${texts.description === 404 ? 400 : texts.description}.description`),
  );
  return `<!doctype html>
<html lang="${locale.iso}" dir="${locale.dir}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="${colorScheme(headers)}">
<title>${title} · ${siteName}</title>
<style>${PAGE_STYLE}</style>
<main>
<p><small>${status}</small><h1>${title}</h1><p>${description}${method === 'POST' && [413, 429, 503].includes(status) ? `\n<p>${escapeHtml(t('goBack', { ns: 'server' }))}` : ''}
<p><a href="${locale.code === 'en' ? '/' : `/${locale.code}`}">${escapeHtml(t('error.home'))}</a>
<p><small>${escapeHtml(t('error.requestId'))}<br><bdi>${escapeHtml(requestId)}</bdi><br>${escapeHtml(t('error.requestIdNote'))}</small>
</main>
</html>`;
}

/**
 * The language of an error page: that of its address, else of the page that the request came from, else the visitor's
 * choice. Addresses such as `/preferences` have no language.
 */
function findLocale(path: string, headers: HeaderReader): Locale {
  const locale = localeOfPath(path);
  if (locale !== defaultLocale) return locale;
  const referer = headers.get('referer') ?? '';
  const page = URL.canParse(referer) ? new URL(referer) : null;
  if (page && page.host === headers.get('host')) return localeOfPath(page.pathname);
  return readValidCookie({ headers }, LOCALE_COOKIE, parseLocale) ?? defaultLocale;
}

/** The color scheme of the theme that the visitor chose. */
function colorScheme(headers: HeaderReader): string {
  const theme = readValidCookie({ headers }, THEME_COOKIE, parseTheme);
  return theme === 'light' || theme === 'dark' ? theme : 'light dark';
}

/** Escapes the characters that have a meaning in HTML text and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
