import type { ReactElement } from 'react';
import { type CloudResponse, type Handler, methodNotAllowed, redirect } from '../http/exchange.ts';
import type { AuthorizationCodes } from '../oauth/authorization-codes.ts';
import { codeRedirect } from '../oauth/authorize-endpoint.ts';
import type { BrowserSessions } from '../oauth/browser-sessions.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import type { User, Users } from '../user-pool/users.ts';
import type { AttemptLimits } from './attempt-limits.ts';
import type { FormError } from './form-errors.ts';
import { renderPage } from './html-page.tsx';
import type { Outbox } from './outbox.ts';
import { openPageContext, type PageContext } from './page-context.ts';
import type { VisitorStates } from './visitor-state.ts';

export type HostedLoginDeps = {
  userPool: UserPool;
  users: Users;
  outbox: Outbox;
  codes: AuthorizationCodes;
  browserSessions: BrowserSessions;
  visitorStates: VisitorStates;
  limits: AttemptLimits;
};

export type FormResult = CloudResponse | FormError;

export type PageDefinition = {
  /** Returns the page, with an error when the form was rejected. */
  show(context: PageContext, error: FormError | null): ReactElement;
  /** Handles the submitted form. Returns the response, or the error with which the page is shown again. */
  submit(context: PageContext): Promise<FormResult> | FormResult;
};

/**
 * Returns the handler of a page with a form. GET shows the page and POST submits the form. A form with an error
 * gets a 400 response, and a form that another site sent a 403 response.
 */
export function createPageHandler(deps: HostedLoginDeps, { show, submit }: PageDefinition): Handler {
  return async (request) => {
    const opened = openPageContext(request, deps);
    if ('rejection' in opened) return opened.rejection;
    const { context } = opened;
    if (request.method === 'GET' || request.method === 'HEAD') return showPage(context, show(context, null));
    if (request.method !== 'POST') return methodNotAllowed(['GET', 'HEAD', 'POST']);
    if (!context.isOwnForm()) {
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

/** Returns a redirect to another page of the hosted login. */
export function redirectToPage(context: PageContext, path: string): CloudResponse {
  return { ...redirect(context.link(path), { 'set-cookie': context.cookies }), status: 303 };
}

/** Starts a session of the hosted login and returns a redirect to the site with an authorization code. */
export function completeSignIn(
  context: PageContext,
  user: User,
  { browserSessions, codes }: HostedLoginDeps,
): CloudResponse {
  const { session, cookie } = browserSessions.start(user);
  context.saveState({});
  return {
    ...codeRedirect(context.authorization, session, codes, { 'set-cookie': [...context.cookies, cookie] }),
    status: 303,
  };
}
