import { type CloudReply, type CloudRequest, type Handler, redirect } from '../http/exchange.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import type { AuthorizationCodes } from './authorization-codes.ts';
import {
  type AuthorizationRequest,
  callbackUrl,
  parseAuthorizationRequest,
  sendError,
} from './authorization-request.ts';
import type { BrowserSession, BrowserSessions } from './browser-sessions.ts';

export type AuthorizeDependencies = {
  userPool: UserPool;
  codes: AuthorizationCodes;
  browserSessions: BrowserSessions;
};

/**
 * `GET /oauth2/authorize`: sends whoever is signed in back to the site with a code, everybody else to `/login` with
 * the same parameters.
 */
export function createAuthorize({ userPool, codes, browserSessions }: AuthorizeDependencies): Handler {
  return (request) => {
    const parsed = parseAuthorizationRequest(request.url.searchParams, userPool);
    if ('refusal' in parsed) return parsed.refusal;
    const authorization = parsed.request;
    const session = browserSessions.of(request);
    if (session && authorization.prompt !== 'login') return sendCode(authorization, session, codes);
    return authorization.prompt === 'none'
      ? sendError(authorization.redirectUri, authorization.state, 'login_required')
      : redirect(`/login${request.url.search}`);
  };
}

/** Sends the visitor back to the site with an authorization code (RFC 6749 section 4.1.2). */
export function sendCode(
  request: AuthorizationRequest,
  session: BrowserSession,
  codes: AuthorizationCodes,
  headers: CloudReply['headers'] = {},
): CloudReply {
  const code = codes.issue({
    clientId: request.client.id,
    sub: session.sub,
    email: session.email,
    scopes: request.scopes,
    authTime: session.authTime,
    redirectUri: request.redirectUri,
    codeChallenge: request.codeChallenge,
    nonce: request.nonce,
  });
  return redirect(callbackUrl(request.redirectUri, { code, state: request.state }), headers);
}

/** The reply of an authorization request that is told to fail: an error at the site, if the request names one. */
export function authorizeErrorReply(
  userPool: UserPool,
): (request: CloudRequest, error: string) => CloudReply {
  return ({ url }, error) => {
    const parsed = parseAuthorizationRequest(url.searchParams, userPool);
    if ('refusal' in parsed) return parsed.refusal;
    return sendError(parsed.request.redirectUri, parsed.request.state, error);
  };
}
