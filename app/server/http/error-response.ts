/** Error responses: a small translated page for browsers, or JSON for programs. */
import { createHash } from 'node:crypto';
import { errorTexts } from '../../i18n/error-texts.ts';
import { defaultLocale, LOCALE_COOKIE, type Locale, localeOfPath, parseLocale } from '../../i18n/locales.ts';
import type { Translations } from '../../i18n/translations.server.ts';
import { siteName } from '../../site-name.ts';
import { parseTheme, THEME_COOKIE } from '../../theme/theme.ts';
import { readCookies } from '../cookies/cookie-jar.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { UpstreamError } from '../resilience/upstream-error.ts';
import type { HeaderReader, SiteResponse } from './exchange.ts';
import { type Rejection, retryAfter } from './rejection.ts';

/** The part of an `Exchange` that an error response depends on. */
export type RejectedRequest = { path: string; headers: HeaderReader; requestId: string };

/**
 * The JSON of every error: a code, a message for developers, and the request id. It is a GraphQL response without data
 * (GraphQL section 7.1), so that clients of the GraphQL proxy understand the rejections of every step.
 */
export function errorJson(
  { code, message = '' }: Pick<Rejection, 'code' | 'message'>,
  requestId: string,
): string {
  return JSON.stringify({ data: null, errors: [{ message, errorType: code }], extensions: { requestId } });
}

/** The error as the response of a resource route. It must not be cached. */
export function errorResponse(rejection: Rejection, requestId: string): Response {
  const { status, headers = {} } = rejection;
  const own = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-store' };
  return new Response(errorJson(rejection, requestId), { status, headers: { ...own, ...headers } });
}

/**
 * The rejection as the response of a resource route to a browser: a page, or JSON for a client that accepts no page. It
 * must not be cached.
 */
export function rejectionResponse(
  rejection: Rejection,
  request: Request,
  { requestId, translations }: { requestId: string; translations: Translations },
): Response {
  const rejected = { path: new URL(request.url).pathname, headers: request.headers, requestId };
  const { status, headers, body } = renderRejection(rejection, rejected, translations);
  const own = { 'cache-control': 'private, no-store', ...headers } as Record<string, string>;
  return new Response(String(body), { status, headers: own });
}

/**
 * Rejects a request: returns the response, counts the rejection, and records its code in `request` for the log line.
 */
export function rejectRequest(
  { metrics, translations }: { metrics: Pick<Metrics, 'rejected'>; translations: Translations },
  request: RejectedRequest & { rejection: string | null },
  rejection: Rejection,
): SiteResponse {
  request.rejection = rejection.code;
  metrics.rejected(rejection.code);
  return renderRejection(rejection, request, translations);
}

/** Renders a rejection as a page or as JSON. Both contain only the code, the message and the request id. */
export function renderRejection(
  rejection: Rejection,
  request: RejectedRequest,
  translations: Translations,
): SiteResponse {
  const { status, headers = {} } = rejection;
  const accept = request.headers.get('accept') ?? '*/*';
  if (!/text\/html|\*\/\*/.test(accept) || request.path.startsWith('/api/')) {
    const type = { 'content-type': 'application/json; charset=utf-8' };
    return { status, headers: { ...type, ...headers }, body: errorJson(rejection, request.requestId) };
  }
  const type = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY };
  return { status, headers: { ...type, ...headers }, body: errorPage(rejection, request, translations) };
}

const PAGE_STYLE =
  'body{font:1.125rem/1.6 system-ui,sans-serif;max-inline-size:36rem;margin:20vh auto 0;padding:0 1.5rem}h1{line-height:1.2;text-wrap:balance;word-break:auto-phrase}a{color:inherit}small{opacity:.7}';
const STYLE_HASH = createHash('sha256').update(PAGE_STYLE).digest('base64');
// Browsers ask for /favicon.ico, and Firefox applies the policy of the page to it.
const PAGE_POLICY = `default-src 'none'; img-src 'self'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'`;

function errorPage(
  { status, explanation }: Rejection,
  { path, headers, requestId }: RejectedRequest,
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
<p><small>${status}</small><h1>${title}</h1><p>${description}
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
  return parseLocale(readCookies({ headers }).get(LOCALE_COOKIE)) ?? defaultLocale;
}

/** The color scheme of the theme that the visitor chose. */
function colorScheme(headers: HeaderReader): string {
  const theme = parseTheme(readCookies({ headers }).get(THEME_COOKIE));
  return theme === 'light' || theme === 'dark' ? theme : 'light dark';
}

/** Escapes the characters that have a meaning in HTML text and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The part of an upstream's failure that a response contains. No text of the upstream is in it. */
export type UpstreamFailure = {
  /** 401 if the session has no valid ID token, 429 beyond the session's limit of operations, else 502, 503 or 504. */
  status: 401 | 429 | 502 | 503 | 504;
  code: string;
  message: string;
  /** `retry-after`, if the upstream or the circuit breaker gave a time (RFC 9110 section 10.2.3). */
  headers?: Record<string, string>;
};

const NETWORK_ERROR = 'A network error has occurred.';

const messages = new Map([
  ['NetworkError', NETWORK_ERROR],
  ['ConnectError', NETWORK_ERROR],
  ['TimeoutError', NETWORK_ERROR],
  ['CredentialsException', 'Cognito did not respond with either Credentials, AccessKeyId or SecretKey.'],
  ['UserUnAuthenticatedException', 'User needs to be authenticated to call this API.'],
  ['TooManyRequests', 'Too many requests: see Retry-After.'],
]);

/** Describes an upstream's failure: 504 for a timeout, 503 if a later attempt may succeed, else 502. */
export function describeUpstreamFailure(error: UpstreamError): UpstreamFailure {
  const { retryAfterMs } = error.details;
  return {
    status: statusOf(error),
    code: /^[A-Za-z]\w{0,63}$/.test(error.code) ? error.code : 'UnknownError',
    message: messages.get(error.code) ?? 'An unknown error has occurred.',
    ...(retryAfterMs === undefined ? {} : { headers: retryAfter(retryAfterMs) }),
  };
}

function statusOf({ code, details }: UpstreamError): UpstreamFailure['status'] {
  if (code === 'UserUnAuthenticatedException') return 401;
  if (code === 'TooManyRequests') return 429;
  if (code === 'TimeoutError' || details.status === 504) return 504;
  const isBusy = details.status === 429 || details.status === 503 || /Throttl|TooManyRequests/.test(code);
  return code === 'CircuitOpen' || code === 'Overloaded' || isBusy ? 503 : 502;
}
