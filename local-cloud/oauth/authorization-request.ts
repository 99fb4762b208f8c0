import { type CloudReply, redirect } from '../http/exchange.ts';
import { ALLOWED_SCOPES, type AppClient, type UserPool } from '../user-pool/user-pool.ts';

/** What a site asks when it sends a visitor to sign in, with everything about it checked. */
export type AuthorizationRequest = {
  client: AppClient;
  redirectUri: string;
  state: string | null;
  scopes: string[];
  codeChallenge: string;
  nonce: string | null;
  /** `none`: answer without asking the visitor. `login`: ask for the password even if they are signed in. */
  prompt: 'none' | 'login' | null;
  loginHint: string | null;
};

export type ParsedAuthorization = { request: AuthorizationRequest } | { refusal: CloudReply };

/**
 * Checks the parameters of an authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3). An error goes back
 * to the site, except where the client or its address is in doubt: then it stays here, on the error page.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html
 */
export function parseAuthorizationRequest(params: URLSearchParams, userPool: UserPool): ParsedAuthorization {
  const clientId = params.get('client_id') ?? '';
  const client = userPool.client(clientId);
  if (!client) return { refusal: errorPage('invalid_client', clientId) };
  const redirectUri = params.get('redirect_uri') ?? '';
  if (!client.callbackUrls.has(redirectUri)) return { refusal: errorPage('redirect_mismatch', clientId) };

  const state = params.get('state');
  const problem = findProblem(params);
  if (problem) return { refusal: sendError(redirectUri, state, problem.error, problem.description) };
  return {
    request: {
      client,
      redirectUri,
      state,
      scopes: requestedScopes(params),
      codeChallenge: params.get('code_challenge') ?? '',
      nonce: params.get('nonce'),
      prompt: promptOf(params),
      loginHint: params.get('login_hint'),
    },
  };
}

/** Sends the visitor back to the site with an error (RFC 6749 section 4.1.2.1). */
export function sendError(
  redirectUri: string,
  state: string | null,
  error: string,
  description?: string,
): CloudReply {
  return redirect(callbackUrl(redirectUri, { error_description: description, state, error }));
}

/** The site's callback address with an answer's parameters; those that are null or undefined stay away. */
export function callbackUrl(redirectUri: string, answer: Record<string, string | null | undefined>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) {
    if (value !== null && value !== undefined) url.searchParams.append(name, value);
  }
  return url.href;
}

function errorPage(error: string, clientId: string): CloudReply {
  return redirect(`/error?${new URLSearchParams({ error, client_id: clientId })}`);
}

type Problem = { error: string; description: string };

const invalidRequest = (description: string): Problem => ({ error: 'invalid_request', description });

function findProblem(params: URLSearchParams): Problem | null {
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
  return findPkceProblem(params) ?? findScopeProblem(params) ?? findPromptProblem(params);
}

function findPkceProblem(params: URLSearchParams): Problem | null {
  const challenge = params.get('code_challenge');
  if (challenge === null) return invalidRequest('code_challenge is missing');
  if (params.get('code_challenge_method') !== 'S256')
    return invalidRequest('code_challenge_method must be S256');
  // A SHA-256 digest in base64url without padding.
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
  return prompts.includes('none') && prompts.length > 1 ? invalidRequest('prompt=none stands alone') : null;
}

/** Without a scope, all of the client's are granted. */
function requestedScopes(params: URLSearchParams): string[] {
  const requested = (params.get('scope') ?? '').split(' ').filter(Boolean);
  return requested.length > 0 ? [...new Set(requested)] : [...ALLOWED_SCOPES];
}

function promptOf(params: URLSearchParams): AuthorizationRequest['prompt'] {
  // `select_account` and `consent` are for other identity providers, and this pool has none.
  const prompts = params.get('prompt')?.split(' ') ?? [];
  if (prompts.includes('none')) return 'none';
  return prompts.includes('login') ? 'login' : null;
}
