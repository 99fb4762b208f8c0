import { type CloudRequest, type CloudResponse, type Handler, redirect } from '../http/exchange.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import type { AuthorizationCodes } from './authorization-codes.ts';
import {
  type AuthorizationRequest,
  callbackUrl,
  errorRedirect,
  parseAuthorizationRequest,
} from './authorization-request.ts';
import type { BrowserSession, BrowserSessions } from './browser-sessions.ts';

export type AuthorizeEndpointDeps = {
  userPool: UserPool;
  codes: AuthorizationCodes;
  browserSessions: BrowserSessions;
};

/**
 * Returns the handler of `GET /oauth2/authorize`. It redirects a signed-in visitor to the site with a code, and
 * any other visitor to `/login` with the same parameters.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html
 */
export function createAuthorizeEndpoint({
  userPool,
  codes,
  browserSessions,
}: AuthorizeEndpointDeps): Handler {
  return (request) => {
    const parsed = parseAuthorizationRequest(request.url.searchParams, userPool);
    if ('rejection' in parsed) return parsed.rejection;
    const authorization = parsed.request;
    const session = browserSessions.find(request);
    if (session && authorization.prompt !== 'login') return codeRedirect(authorization, session, codes);
    return authorization.prompt === 'none'
      ? errorRedirect(authorization.redirectUri, authorization.state, 'login_required')
      : redirect(`/login${request.url.search}`);
  };
}

/** Returns a redirect to the site with a new authorization code (RFC 6749 section 4.1.2). */
export function codeRedirect(
  request: AuthorizationRequest,
  session: BrowserSession,
  codes: AuthorizationCodes,
  headers: CloudResponse['headers'] = {},
): CloudResponse {
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

/** Returns a redirect to the site with an injected error. An invalid request gets its usual rejection. */
export function authorizeErrorResponse(
  { url }: CloudRequest,
  error: string,
  userPool: UserPool,
): CloudResponse {
  const parsed = parseAuthorizationRequest(url.searchParams, userPool);
  if ('rejection' in parsed) return parsed.rejection;
  return errorRedirect(parsed.request.redirectUri, parsed.request.state, error);
}
