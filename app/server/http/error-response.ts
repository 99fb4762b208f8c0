/** Error responses: a small translated page for browsers, or JSON for programs. */
import { localeOfPath } from '../../i18n/locales.ts';
import type { Translations } from '../../i18n/translations.server.ts';
import { siteName } from '../../site-name.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { UpstreamError } from '../resilience/upstream-error.ts';
import type { HeaderReader, SiteResponse } from './exchange.ts';
import { type Rejection, retryAfter } from './rejection.ts';

/** The part of an `Exchange` that an error response depends on. */
export type RejectedRequest = { path: string; headers: HeaderReader; requestId: string; nonce: string };

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
  const policy = `default-src 'none'; style-src 'nonce-${request.nonce}'; frame-ancestors 'none'; base-uri 'none'`;
  const type = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
  return { status, headers: { ...type, ...headers }, body: errorPage(status, request, translations) };
}

function errorPage(
  status: number,
  { path, requestId, nonce }: Omit<RejectedRequest, 'headers'>,
  translations: Translations,
): string {
  const locale = localeOfPath(path);
  const { t } = translations.instance(locale.code);
  const [title, description] = [t('error.refused.title'), t('error.refused.description')].map(escapeHtml);
  return `<!doctype html>
<html lang="${locale.iso}" dir="${locale.dir}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title} · ${siteName}</title>
<style nonce="${nonce}">body{font:1.125rem/1.6 system-ui,sans-serif;max-inline-size:36rem;margin:20vh auto 0;padding:0 1.5rem}a{color:inherit}small{opacity:.7}</style>
<main>
<p><small>${status}</small><h1>${title}</h1><p>${description}
<p><a href="${locale.code === 'en' ? '/' : `/${locale.code}`}">${escapeHtml(t('error.home'))}</a>
<p><small>${escapeHtml(t('error.requestId'))}<br><bdi>${escapeHtml(requestId)}</bdi><br>${escapeHtml(t('error.requestIdNote'))}</small>
</main>
</html>`;
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
