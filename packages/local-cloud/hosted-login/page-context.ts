import { type CloudRequest, type CloudResponse, parseForm } from '../http/exchange.ts';
import {
  type AuthorizationRequest,
  callbackUrl,
  parseAuthorizationRequest,
} from '../oauth/authorization-request.ts';
import { equalInConstantTime } from '../storage/secrets.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import { chooseLanguage } from './language.ts';
import { createTranslator, type Language, type Translate } from './messages.ts';
import type { VisitorState, VisitorStates } from './visitor-state.ts';

/** The input of a page of the hosted login: the request, its authorization request and the visitor's state. */
export type PageContext = {
  request: CloudRequest;
  /** The authorization request. Every page passes it on in its URL. */
  authorization: AuthorizationRequest;
  language: Language;
  /** The name of the site, or else its host. */
  site: string;
  t: Translate;
  visitorId: string;
  /** The state at the start of the request. */
  state: VisitorState;
  saveState(state: VisitorState): void;
  /** The `Set-Cookie` lines for the response. */
  cookies: string[];
  /** Returns a form field, or an empty string. */
  field(name: 'email' | 'password' | 'code' | 'intent'): string;
  /** Returns whether a page of the hosted login sent this form, and not another site. */
  isOwnForm(): boolean;
  /** Returns the URL of another page with the same query parameters, except those in `changes`. */
  link(path: string, changes?: Record<string, string>): string;
  /** The URL that returns the visitor to the site without signing in. */
  cancelUrl: string;
};

/** The form field with the CSRF token. */
export const CSRF_FIELD = '_csrf';

/** Returns the context of a request, or a rejection when the query is not a valid authorization request. */
export function openPageContext(
  request: CloudRequest,
  { userPool, visitorStates }: { userPool: UserPool; visitorStates: VisitorStates },
): { context: PageContext } | { rejection: CloudResponse } {
  const parsed = parseAuthorizationRequest(request.url.searchParams, userPool);
  if ('rejection' in parsed) return parsed;
  const authorization = parsed.request;
  const { language, cookie: languageCookie } = chooseLanguage(request);
  const { visitorId, cookie: visitorCookie } = visitorStates.identify(request);
  const form = parseForm(request);
  const context: PageContext = {
    request,
    authorization,
    language,
    site: userPool.siteName ?? new URL(authorization.redirectUri).host,
    t: createTranslator(language),
    visitorId,
    state: visitorStates.load(visitorId),
    saveState: (state) => visitorStates.save(visitorId, state),
    cookies: [languageCookie, visitorCookie].filter((cookie) => cookie !== null),
    field: (name) => form.get(name) ?? '',
    isOwnForm: () => !isCrossSite(request) && equalInConstantTime(form.get(CSRF_FIELD) ?? '', visitorId),
    link: (path, changes = {}) => linkTo(path, request.url.searchParams, changes),
    cancelUrl: callbackUrl(authorization.redirectUri, {
      error_description: 'The user cancelled.',
      state: authorization.state,
      error: 'access_denied',
    }),
  };
  return { context };
}

function linkTo(path: string, params: URLSearchParams, changes: Record<string, string>): string {
  const query = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changes)) query.set(name, value);
  return `${path}?${query}`;
}

/** Clients that are not browsers send no `Sec-Fetch-Site` header. For them the CSRF token is sufficient. */
function isCrossSite({ headers }: CloudRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
