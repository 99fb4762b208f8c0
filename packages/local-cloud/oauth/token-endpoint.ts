import { type CloudRequest, type Handler, json, parseForm } from '../http/exchange.ts';
import { type Grants, RefreshTokenError } from '../user-pool/grants.ts';
import type { Grant } from '../user-pool/token-claims.ts';
import { mintTokens, type Tokens } from '../user-pool/tokens.ts';
import type { AppClient, UserPool } from '../user-pool/user-pool.ts';
import type { Users } from '../user-pool/users.ts';
import { type AuthorizationCodes, matchesChallenge } from './authorization-codes.ts';
import {
  anyOriginHeaders,
  authenticateClient,
  OAuthError,
  oauthErrorResponse,
} from './client-authentication.ts';

export type TokenEndpointDeps = {
  userPool: UserPool;
  codes: AuthorizationCodes;
  grants: Grants;
  tokens: Tokens;
  users: Pick<Users, 'findBySub'>;
  /** Receives every code verifier that a client sends. */
  onCodeVerifier: (codeVerifier: string) => void;
};

/**
 * Returns the handler of `POST /oauth2/token`, which exchanges an authorization code (RFC 6749 section 4.1.3, RFC
 * 7636 section 4.5) or a refresh token (RFC 6749 section 6) for tokens.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html
 */
export function createTokenEndpoint(deps: TokenEndpointDeps): Handler {
  return async (request) => {
    try {
      const form = parseUniqueFields(request);
      const client = authenticateClient(request, form, deps.userPool);
      switch (form.get('grant_type')) {
        case 'authorization_code':
          return json(200, await redeemCode(form, client, deps), anyOriginHeaders);
        case 'refresh_token':
          return json(200, await redeemRefreshToken(form, client, deps), anyOriginHeaders);
        case null:
          throw new OAuthError('invalid_request');
        default:
          throw new OAuthError('unsupported_grant_type');
      }
    } catch (error) {
      if (error instanceof OAuthError) return oauthErrorResponse(error.error, error.status);
      if (error instanceof RefreshTokenError) return oauthErrorResponse('invalid_grant');
      throw error;
    }
  };
}

async function redeemCode(
  form: URLSearchParams,
  client: AppClient,
  { codes, grants, tokens, onCodeVerifier }: TokenEndpointDeps,
): Promise<TokenResponse> {
  const [code, redirectUri, codeVerifier] = ['code', 'redirect_uri', 'code_verifier'].map((name) =>
    form.get(name),
  );
  if (!code || !redirectUri) throw new OAuthError('invalid_request');
  if (codeVerifier) onCodeVerifier(codeVerifier);
  // Consumes the code before the other checks, so that a failed attempt cannot be repeated.
  const authorization = codes.redeem(code, client.id);
  if (!authorization || authorization.redirectUri !== redirectUri) throw new OAuthError('invalid_grant');
  if (!matchesChallenge(codeVerifier ?? null, authorization.codeChallenge))
    throw new OAuthError('invalid_grant');

  const { sub, email, clientId, scopes, authTime, nonce } = authorization;
  const { grant, refreshToken } = grants.open({ sub, email, clientId, scopes, authTime });
  codes.recordGrant(code, grant.originJti);
  return tokenResponse(grant, { nonce, refreshToken }, tokens);
}

function redeemRefreshToken(
  form: URLSearchParams,
  client: AppClient,
  { grants, tokens, users }: TokenEndpointDeps,
): Promise<TokenResponse> {
  const presented = form.get('refresh_token');
  if (!presented) throw new OAuthError('invalid_request');
  const { grant, refreshToken } = grants.redeem(presented, client.id, client.rotatesRefreshTokens);
  if (users.findBySub(grant.sub)?.enabled === false) throw new OAuthError('invalid_grant');
  return tokenResponse(grant, { nonce: null, refreshToken }, tokens);
}

type TokenResponse = {
  id_token?: string;
  access_token: string;
  refresh_token?: string;
  expires_in: number;
  token_type: 'Bearer';
};

async function tokenResponse(
  grant: Grant,
  { nonce, refreshToken }: { nonce: string | null; refreshToken: string | null },
  tokens: Tokens,
): Promise<TokenResponse> {
  const { idToken, accessToken, expiresIn } = await mintTokens(tokens, grant, nonce);
  return {
    ...(idToken === null ? {} : { id_token: idToken }),
    access_token: accessToken,
    ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
    expires_in: expiresIn,
    token_type: 'Bearer',
  };
}

/** Returns the form fields. Throws `OAuthError` when a field occurs more than once (RFC 6749 section 3.2). */
function parseUniqueFields(request: CloudRequest): URLSearchParams {
  const form = parseForm(request);
  const names = [...form.keys()];
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '');
  if (request.method !== 'POST' || !isForm || names.length !== new Set(names).size) {
    throw new OAuthError('invalid_request');
  }
  return form;
}
