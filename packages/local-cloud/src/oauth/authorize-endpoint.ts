import { type CloudRequest, type CloudResponse, type Handler, redirect } from '../http/exchange.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import type { AuthorizationCodes } from './authorization-codes.ts';
import {
  type AuthorizationRequest,
  callbackUrl,
  errorPageRedirect,
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
 * Returns the handler of `GET /oauth2/authorize`. It redirects a signed-in visitor to the site with a code, and any other
 * visitor to `/login` with the same parameters.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html
 */
export function createAuthorizeEndpoint(deps: AuthorizeEndpointDeps): Handler {
  return (request) => {
    const parsed = parseAuthorizationRequest(request.url.searchParams, deps.userPool);
    if ('rejection' in parsed) return parsed.rejection;
    const { prompts } = parsed.request;
    const session = deps.browserSessions.find(request);
    if (session && !prompts.includes('login')) return codeRedirect(parsed.request, session, deps.codes);
    return prompts.includes('none')
      ? errorRedirect(parsed.request, 'login_required')
      : redirect(`/login${request.url.search}`);
  };
}

/** Returns a redirect to the site with a new authorization code (RFC 6749 section 4.1.2). */
export function codeRedirect(
  request: AuthorizationRequest,
  { sub, email, authTime }: BrowserSession,
  codes: AuthorizationCodes,
  headers: CloudResponse['headers'] = {},
): CloudResponse {
  const { client, scopes, redirectUri, codeChallenge, nonce } = request;
  const granted = { clientId: client.id, sub, email, scopes, authTime };
  const code = codes.issue({ granted, redirectUri, codeChallenge, nonce });
  return redirect(callbackUrl(request, { code }), headers);
}

/** Returns a redirect to the site with an injected error. An invalid request gets its usual rejection. */
export function authorizeErrorResponse(
  { url }: CloudRequest,
  error: string,
  userPool: UserPool,
): CloudResponse {
  const parsed = parseAuthorizationRequest(url.searchParams, userPool);
  return 'rejection' in parsed ? parsed.rejection : errorRedirect(parsed.request, error);
}

/**
 * Returns the handler of `GET /logout`. It ends the session of the hosted login and revokes no tokens. It redirects to
 * `logout_uri`, a registered sign-out URL of the site, or with `redirect_uri` to the sign-in page.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html
 */
export function createLogoutEndpoint({
  userPool,
  browserSessions,
}: Omit<AuthorizeEndpointDeps, 'codes'>): Handler {
  return (request) => {
    const params = request.url.searchParams;
    const clientId = params.get('client_id') ?? '';
    if (!userPool.findClient(clientId)) return errorPageRedirect('invalid_client', clientId);
    const logoutUri = params.get('logout_uri');
    const isRegistered =
      logoutUri === null
        ? userPool.callbackUrls.has(params.get('redirect_uri') ?? '')
        : userPool.signOutUrls.has(logoutUri);
    if (!isRegistered) return errorPageRedirect('redirect_mismatch', clientId);
    return redirect(logoutUri ?? `/login${request.url.search}`, {
      'set-cookie': browserSessions.end(request),
    });
  };
}
