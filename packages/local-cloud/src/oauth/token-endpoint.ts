import { type CloudRequest, type CloudResponse, type Handler, json, parseForm } from '../http/exchange.ts';
import type { OnSecret } from '../issued-secrets.ts';
import { type Grants, RefreshTokenError } from '../user-pool/grants.ts';
import type { IssuedTokens, Tokens } from '../user-pool/tokens.ts';
import type { AppClient, UserPool } from '../user-pool/user-pool.ts';
import { type AuthorizationCodes, matchesChallenge } from './authorization-codes.ts';

export type TokenEndpointDeps = {
  userPool: UserPool;
  codes: AuthorizationCodes;
  grants: Grants;
  tokens: Tokens;
  onSecret: OnSecret;
};

/** An error of an OAuth endpoint (RFC 6749 section 5.2). `error` is the error code. */
class OAuthError extends Error {
  override readonly name = 'OAuthError';

  constructor(
    readonly error: string,
    readonly status = 400,
  ) {
    super(error);
  }
}

/** Cognito's token and revocation endpoints allow cross-origin requests (CORS) from every origin. */
const anyOrigin = { 'access-control-allow-origin': '*' };

/** Returns the response for an error code (RFC 6749 section 5.2). */
export function oauthErrorResponse(error: string, status = 400): CloudResponse {
  return json(status, { error }, anyOrigin);
}

/**
 * Returns the handler of `POST /oauth2/token`, which exchanges an authorization code (RFC 6749 section 4.1.3, RFC 7636
 * section 4.5) or a refresh token (RFC 6749 section 6) for tokens.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html
 */
export function createTokenEndpoint(deps: TokenEndpointDeps): Handler {
  return withForm(deps.userPool, 400, async (form, client) => {
    switch (form.get('grant_type')) {
      case 'authorization_code':
        return json(200, await redeemCode(form, client, deps), anyOrigin);
      case 'refresh_token': {
        const { grant, refreshToken } = deps.grants.redeem(required(form, 'refresh_token'), client);
        return json(200, toResponse(await deps.tokens.issue(grant, null), refreshToken), anyOrigin);
      }
      case null:
        throw new OAuthError('invalid_request');
      default:
        throw new OAuthError('unsupported_grant_type');
    }
  });
}

/**
 * Returns the handler of `POST /oauth2/revoke` (RFC 7009). It revokes a refresh token and every other token of the same
 * sign-in. The response to an unknown or already revoked token is also 200.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/revocation-endpoint.html
 */
export function createRevocationEndpoint({ userPool, grants }: TokenEndpointDeps): Handler {
  return withForm(userPool, 401, (form, client) => {
    const token = required(form, 'token');
    // Only refresh tokens can be revoked. ID tokens and access tokens are the ones with three parts.
    if (token.split('.').length === 3) throw new OAuthError('unsupported_token_type');
    grants.revokeToken(token, client.id);
    return { status: 200, headers: { ...anyOrigin, 'cache-control': 'no-store' } };
  });
}

type FormHandler = (form: URLSearchParams, client: AppClient) => CloudResponse | Promise<CloudResponse>;

/**
 * Returns a handler that parses the form and authenticates its client. A field may not occur more than once (RFC 6749
 * section 3.2). `status` is that of `invalid_client`.
 */
function withForm(userPool: UserPool, status: number, handle: FormHandler): Handler {
  return async (request) => {
    try {
      const form = parseForm(request);
      const names = [...form.keys()];
      const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '');
      if (!isForm || names.length > new Set(names).size) {
        throw new OAuthError('invalid_request');
      }
      return await handle(form, authenticateClient(request, form, userPool, status));
    } catch (error) {
      if (error instanceof OAuthError) return oauthErrorResponse(error.error, error.status);
      if (error instanceof RefreshTokenError) return oauthErrorResponse('invalid_grant');
      throw error;
    }
  };
}

/**
 * Returns the app client that the HTTP Basic credentials or the form fields name, after checking its secret (RFC 6749
 * section 2.3.1). A public client sends only its id. Throws `OAuthError`.
 */
function authenticateClient(
  request: CloudRequest,
  form: URLSearchParams,
  userPool: UserPool,
  status: number,
): AppClient {
  const basic = parseBasicCredentials(request.headers.authorization);
  const id = form.get('client_id') ?? basic?.id ?? '';
  if (basic && (form.has('client_secret') || id !== basic.id)) throw new OAuthError('invalid_request');
  const client = userPool.findClient(id);
  // A public client has no secret and sends none.
  if (client && client.secret === (basic?.secret ?? form.get('client_secret'))) return client;
  throw new OAuthError('invalid_client', status);
}

function parseBasicCredentials(authorization = ''): { id: string; secret: string } | null {
  const encoded = /^basic\s+(\S+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return null;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 2);
  try {
    return { id: decodeURIComponent(id), secret: decodeURIComponent(secret) };
  } catch {
    throw new OAuthError('invalid_client');
  }
}

async function redeemCode(
  form: URLSearchParams,
  client: AppClient,
  { codes, grants, tokens, onSecret }: TokenEndpointDeps,
): Promise<Record<string, unknown>> {
  const code = required(form, 'code');
  const redirectUri = required(form, 'redirect_uri');
  const codeVerifier = form.get('code_verifier');
  if (codeVerifier) onSecret('code verifier', codeVerifier);
  // Consumes the code before the other checks, so that a failed attempt cannot be repeated.
  const authorization = codes.redeem(code, client.id);
  if (
    authorization?.redirectUri !== redirectUri ||
    !matchesChallenge(codeVerifier, authorization.codeChallenge)
  ) {
    throw new OAuthError('invalid_grant');
  }
  const { grant, refreshToken } = grants.open(authorization.granted);
  codes.recordGrant(code, grant.originJti);
  return toResponse(await tokens.issue(grant, authorization.nonce), refreshToken);
}

function toResponse({ idToken, accessToken, expiresIn }: IssuedTokens, refreshToken: string | null) {
  return {
    ...(idToken === null ? {} : { id_token: idToken }),
    access_token: accessToken,
    ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
    expires_in: expiresIn,
    token_type: 'Bearer',
  };
}

function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (!value) throw new OAuthError('invalid_request');
  return value;
}
