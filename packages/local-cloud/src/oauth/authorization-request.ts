import { type CloudResponse, redirect } from '../http/exchange.ts';
import type { AppClient, UserPool } from '../user-pool/user-pool.ts';

/** A valid authorization request: the parameters with which a site sends a visitor to the hosted login. */
export type AuthorizationRequest = {
  client: AppClient;
  redirectUri: string;
  state: string | null;
  scopes: string[];
  /** Null without PKCE. */
  codeChallenge: string | null;
  nonce: string | null;
  /** `none`: show no page. `login`: request the password even if the visitor is signed in. */
  prompts: string[];
  loginHint: string;
};

export type ParsedAuthorizationRequest = { request: AuthorizationRequest } | { rejection: CloudResponse };

/**
 * Parses the parameters of an authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3). The rejection of an
 * invalid request redirects to the site with an error. When the client or the redirect URI is not registered, it
 * redirects to the local error page instead.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html
 */
export function parseAuthorizationRequest(
  params: URLSearchParams,
  userPool: UserPool,
): ParsedAuthorizationRequest {
  const clientId = params.get('client_id') ?? '';
  const client = userPool.findClient(clientId);
  if (!client) return { rejection: errorPageRedirect('invalid_client', clientId) };
  const redirectUri = params.get('redirect_uri') ?? '';
  if (!userPool.callbackUrls.has(redirectUri))
    return { rejection: errorPageRedirect('redirect_mismatch', clientId) };

  const words = (name: string) => (params.get(name) ?? '').split(' ').filter(Boolean);
  const scopes = words('scope');
  const request: AuthorizationRequest = {
    client,
    redirectUri,
    state: params.get('state'),
    // All allowed scopes when the request names none.
    scopes: scopes.length > 0 ? [...new Set(scopes)] : [...userPool.allowedScopes],
    codeChallenge: params.get('code_challenge'),
    nonce: params.get('nonce'),
    prompts: words('prompt'),
    loginHint: params.get('login_hint') ?? '',
  };
  const error = findError(params, request, userPool);
  return error === null ? { request } : { rejection: errorRedirect(request, error) };
}

/** Returns a redirect to the site with an error (RFC 6749 section 4.1.2.1). */
export function errorRedirect(request: AuthorizationRequest, error: string): CloudResponse {
  return redirect(callbackUrl(request, { error }));
}

/** Returns the redirect URI with the parameters of an authorization response. */
export function callbackUrl(
  { redirectUri, state }: AuthorizationRequest,
  params: Record<string, string>,
): URL {
  const url = new URL(redirectUri);
  if (state !== null) url.searchParams.append('state', state);
  for (const [name, value] of Object.entries(params)) url.searchParams.append(name, value);
  return url;
}

/** Returns a redirect to the local error page. Cognito does not redirect to a site that is not registered. */
export function errorPageRedirect(error: string, clientId: string): CloudResponse {
  return redirect(`/error?${new URLSearchParams({ error, client_id: clientId })}`);
}

function findError(
  params: URLSearchParams,
  { scopes, codeChallenge, prompts }: AuthorizationRequest,
  { allowedScopes }: UserPool,
): string | null {
  const names = [...params.keys()];
  const responseType = params.get('response_type');
  if (names.length > new Set(names).size || responseType === null) return 'invalid_request';
  if (responseType !== 'code') {
    return responseType === 'token' ? 'unauthorized_client' : 'unsupported_response_type';
  }
  const method = params.get('code_challenge_method');
  // 43 characters are a SHA-256 hash in base64url without padding.
  const isPkceValid =
    codeChallenge === null ? method === null : method === 'S256' && /^[A-Za-z0-9_-]{43}$/.test(codeChallenge);
  if (!isPkceValid || (prompts.includes('none') && prompts.length > 1)) return 'invalid_request';
  return scopes.every((scope) => allowedScopes.includes(scope)) ? null : 'invalid_scope';
}
