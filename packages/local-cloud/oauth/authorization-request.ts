import { type CloudResponse, redirect } from '../http/exchange.ts';
import { ALLOWED_SCOPES, type AppClient, type UserPool } from '../user-pool/user-pool.ts';

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
  prompt: 'none' | 'login' | null;
  loginHint: string | null;
};

export type ParsedAuthorizationRequest = { request: AuthorizationRequest } | { rejection: CloudResponse };

/**
 * Parses the parameters of an authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3). The rejection
 * of an invalid request redirects to the site with an error. When the client or the redirect URI is not
 * registered, it redirects to the local error page instead.
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
  if (!client.callbackUrls.has(redirectUri))
    return { rejection: errorPageRedirect('redirect_mismatch', clientId) };

  const state = params.get('state');
  const problem = findProblem(params, userPool);
  if (problem) return { rejection: errorRedirect(redirectUri, state, problem.error, problem.description) };
  return {
    request: {
      client,
      redirectUri,
      state,
      scopes: requestedScopes(params),
      codeChallenge: params.get('code_challenge'),
      nonce: params.get('nonce'),
      prompt: promptOf(params),
      loginHint: params.get('login_hint'),
    },
  };
}

/** Returns a redirect to the site with an error (RFC 6749 section 4.1.2.1). */
export function errorRedirect(
  redirectUri: string,
  state: string | null,
  error: string,
  description?: string,
): CloudResponse {
  return redirect(callbackUrl(redirectUri, { error_description: description, state, error }));
}

/**
 * Returns the redirect URI with the parameters of an authorization response. Null and undefined values are
 * omitted.
 */
export function callbackUrl(redirectUri: string, params: Record<string, string | null | undefined>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined) url.searchParams.append(name, value);
  }
  return url.href;
}

/** Returns a redirect to the local error page. Cognito does not redirect to a site that is not registered. */
export function errorPageRedirect(error: string, clientId: string): CloudResponse {
  return redirect(`/error?${new URLSearchParams({ error, client_id: clientId })}`);
}

type Problem = { error: string; description: string };

const invalidRequest = (description: string): Problem => ({ error: 'invalid_request', description });

function findProblem(params: URLSearchParams, userPool: UserPool): Problem | null {
  for (const name of new Set(params.keys())) {
    if (params.getAll(name).length > 1) return invalidRequest(`${name} is given more than once`);
  }
  const responseType = params.get('response_type');
  if (responseType === null) return invalidRequest('response_type is missing');
  if (responseType !== 'code') {
    return responseType === 'token'
      ? { error: 'unauthorized_client', description: 'the implicit flow is not allowed for this client' }
      : { error: 'unsupported_response_type', description: 'response_type must be code' };
  }
  return findPkceProblem(params, userPool) ?? findScopeProblem(params) ?? findPromptProblem(params);
}

function findPkceProblem(params: URLSearchParams, userPool: UserPool): Problem | null {
  const [challenge, method] = [params.get('code_challenge'), params.get('code_challenge_method')];
  if (challenge === null) {
    const isWithoutPkce = method === null && !userPool.requiresPkce();
    return isWithoutPkce ? null : invalidRequest('code_challenge is missing');
  }
  if (method !== 'S256') return invalidRequest('code_challenge_method must be S256');
  // 43 characters are a SHA-256 hash in base64url without padding.
  return /^[A-Za-z0-9_-]{43}$/.test(challenge) ? null : invalidRequest('code_challenge is malformed');
}

function findScopeProblem(params: URLSearchParams): Problem | null {
  const allowed: readonly string[] = ALLOWED_SCOPES;
  return requestedScopes(params).every((scope) => allowed.includes(scope))
    ? null
    : { error: 'invalid_scope', description: 'a scope is not allowed for this client' };
}

function findPromptProblem(params: URLSearchParams): Problem | null {
  const prompts = params.get('prompt')?.split(' ') ?? [];
  return prompts.includes('none') && prompts.length > 1
    ? invalidRequest('prompt=none excludes other values')
    : null;
}

/** Returns all allowed scopes when the request names none. */
function requestedScopes(params: URLSearchParams): string[] {
  const requested = (params.get('scope') ?? '').split(' ').filter(Boolean);
  return requested.length > 0 ? [...new Set(requested)] : [...ALLOWED_SCOPES];
}

function promptOf(params: URLSearchParams): AuthorizationRequest['prompt'] {
  // `select_account` and `consent` apply only to other identity providers. This user pool has none.
  const prompts = params.get('prompt')?.split(' ') ?? [];
  if (prompts.includes('none')) return 'none';
  return prompts.includes('login') ? 'login' : null;
}
