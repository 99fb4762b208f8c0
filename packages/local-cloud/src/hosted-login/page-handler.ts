import { randomBytes } from 'node:crypto';
import type { ReactElement } from 'react';
import {
  type CloudRequest,
  type CloudResponse,
  type Handler,
  parseForm,
  readCookie,
  redirect,
  serializeCookie,
} from '../http/exchange.ts';
import type { AuthorizationCodes } from '../oauth/authorization-codes.ts';
import { type AuthorizationRequest, parseAuthorizationRequest } from '../oauth/authorization-request.ts';
import { codeRedirect } from '../oauth/authorize-endpoint.ts';
import type { BrowserSessions } from '../oauth/browser-sessions.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import type { User, Users } from '../user-pool/users.ts';
import { renderPage } from './html-page.tsx';
import { chooseLanguage, createTranslator, type Translate } from './messages.ts';
import type { SendCode } from './outbox.ts';

export type HostedLoginDeps = {
  userPool: UserPool;
  users: Users;
  sendCode: SendCode;
  codes: AuthorizationCodes;
  browserSessions: BrowserSessions;
};

export type FieldName = 'email' | 'password' | 'code';

/** An error of a submitted form. `field` is null when the error concerns the whole form. */
export type FormError = { field: FieldName | null; message: string };

/** The input of a page of the hosted login. */
export type PageContext = {
  /** The authorization request. Every page passes it on in its URL. */
  authorization: AuthorizationRequest;
  language: string;
  /** The name of the site, or else its host. */
  site: string;
  minPasswordLength: number;
  t: Translate;
  /** The address to which a code was sent, or an empty string. */
  username: string;
  csrfToken: string;
  /** The `Set-Cookie` lines for the response. */
  cookies: string[];
  /** Returns a form field, or an empty string. */
  field(name: FieldName | 'intent'): string;
  /** Returns the URL of another page with the same query parameters. */
  link(path: string, username?: string): string;
};

export type PageDefinition = {
  /** Returns the page, with an error when the form was rejected. */
  show(context: PageContext, error: FormError | null): ReactElement;
  /** Handles the submitted form. Returns the response, or the error with which the page is shown again. */
  submit(context: PageContext): Promise<CloudResponse | FormError> | CloudResponse | FormError;
};

const CSRF_COOKIE = 'XSRF-TOKEN';
const DAY_SECONDS = 24 * 60 * 60;

/** The form field with the CSRF token. Another site cannot read the token, which is also in a cookie. */
export const CSRF_FIELD = '_csrf';

/**
 * Returns the handler of a page with a form. GET shows the page and POST submits the form. A form with an error gets a 400
 * response, and a form that another site sent a 403 response.
 */
export function createPageHandler({ userPool }: HostedLoginDeps, { show, submit }: PageDefinition): Handler {
  return async (request) => {
    const parsed = parseAuthorizationRequest(withoutUsername(request.url.searchParams), userPool);
    if ('rejection' in parsed) return parsed.rejection;
    const context = createContext(request, parsed.request, userPool);
    if (request.method !== 'POST') return showPage(context, show(context, null));
    if (!isOwnForm(request, context.csrfToken)) {
      return showPage(context, show(context, { field: null, message: context.t('formExpired') }), 403);
    }
    const result = await submit(context);
    return 'message' in result ? showPage(context, show(context, result), 400) : result;
  };
}

/** Returns a response with a page. Its form may redirect to the site. */
export function showPage(context: PageContext, page: ReactElement, status = 200): CloudResponse {
  const formTargets = [new URL(context.authorization.redirectUri).origin];
  return renderPage(page, { status, cookies: context.cookies, formTargets });
}

/** Returns a redirect to the page where the user enters the code that was sent. */
export function redirectToCodePage(context: PageContext, path: string, username: string): CloudResponse {
  return { ...redirect(context.link(path, username), { 'set-cookie': context.cookies }), status: 303 };
}

/** Starts a session of the hosted login and returns a redirect to the site with an authorization code. */
export function completeSignIn(
  { authorization, cookies }: PageContext,
  user: User,
  { browserSessions, codes }: HostedLoginDeps,
): CloudResponse {
  const { session, cookie } = browserSessions.start(user);
  return {
    ...codeRedirect(authorization, session, codes, { 'set-cookie': [...cookies, cookie] }),
    status: 303,
  };
}

function createContext(
  request: CloudRequest,
  authorization: AuthorizationRequest,
  { siteName, minPasswordLength }: UserPool,
): PageContext {
  const { language, cookie } = chooseLanguage(request);
  const known = readCookie(request, CSRF_COOKIE);
  const csrfToken = known ?? randomBytes(32).toString('base64url');
  const cookies = cookie === null ? [] : [cookie];
  if (known === undefined) cookies.push(serializeCookie(CSRF_COOKIE, csrfToken, { maxAge: DAY_SECONDS }));
  const form = parseForm(request);
  return {
    authorization,
    language,
    site: siteName ?? new URL(authorization.redirectUri).host,
    minPasswordLength,
    t: createTranslator(language),
    username: request.url.searchParams.get('username') ?? '',
    csrfToken,
    cookies,
    field: (name) => form.get(name) ?? '',
    link(path, username) {
      const query = withoutUsername(request.url.searchParams);
      if (username) query.set('username', username);
      return `${path}?${query}`;
    },
  };
}

function withoutUsername(params: URLSearchParams): URLSearchParams {
  const copy = new URLSearchParams(params);
  copy.delete('username');
  return copy;
}

/** Clients that are not browsers send no `Sec-Fetch-Site` header. For them the CSRF token is sufficient. */
function isOwnForm(request: CloudRequest, csrfToken: string): boolean {
  const site = String(request.headers['sec-fetch-site'] ?? 'none');
  return ['same-origin', 'none'].includes(site) && parseForm(request).get(CSRF_FIELD) === csrfToken;
}
