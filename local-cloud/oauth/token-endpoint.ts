import { type CloudRequest, formOf, type Handler, json } from '../http/exchange.ts';
import { type Grants, RefreshTokenError } from '../user-pool/grants.ts';
import type { OnSecret } from '../user-pool/issued-secrets.ts';
import type { Grant, Tokens } from '../user-pool/tokens.ts';
import type { AppClient, UserPool } from '../user-pool/user-pool.ts';
import { type AuthorizationCodes, matchesChallenge } from './authorization-codes.ts';
import { anyOrigin, authenticateClient, OAuthError, oauthErrorReply } from './client-authentication.ts';

export type TokenEndpointDependencies = {
  userPool: UserPool;
  codes: AuthorizationCodes;
  grants: Grants;
  tokens: Tokens;
  onSecret: OnSecret;
};

/**
 * `POST /oauth2/token` (RFC 6749 sections 4.1.3 and 6): an authorization code or a refresh token for tokens.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html
 */
export function createTokenEndpoint(dependencies: TokenEndpointDependencies): Handler {
  return async (request) => {
    try {
      const form = uniqueFields(request);
      const client = authenticateClient(request, form, dependencies.userPool);
      switch (form.get('grant_type')) {
        case 'authorization_code':
          return json(200, await redeemCode(form, client, dependencies), anyOrigin);
        case 'refresh_token':
          return json(200, await redeemRefreshToken(form, client, dependencies), anyOrigin);
        case null:
          throw new OAuthError('invalid_request');
        default:
          throw new OAuthError('unsupported_grant_type');
      }
    } catch (error) {
      if (error instanceof OAuthError) return oauthErrorReply(error.error, error.status);
      if (error instanceof RefreshTokenError) return oauthErrorReply('invalid_grant');
      throw error;
    }
  };
}

async function redeemCode(
  form: URLSearchParams,
  client: AppClient,
  { codes, grants, tokens, onSecret }: TokenEndpointDependencies,
): Promise<TokenResponse> {
  const [code, redirectUri, codeVerifier] = ['code', 'redirect_uri', 'code_verifier'].map((name) =>
    form.get(name),
  );
  if (!code || !redirectUri || !codeVerifier) throw new OAuthError('invalid_request');
  onSecret('code verifier', codeVerifier);
  // Whatever is wrong with the rest, the code is used up.
  const authorization = codes.redeem(code, client.id);
  if (!authorization || authorization.redirectUri !== redirectUri) throw new OAuthError('invalid_grant');
  if (!matchesChallenge(codeVerifier, authorization.codeChallenge)) throw new OAuthError('invalid_grant');

  const { sub, email, clientId, scopes, authTime, nonce } = authorization;
  const { grant, refreshToken } = grants.open({ sub, email, clientId, scopes, authTime });
  codes.granted(code, grant.originJti);
  return tokenResponse(grant, { nonce, refreshToken }, tokens);
}

function redeemRefreshToken(
  form: URLSearchParams,
  client: AppClient,
  { grants, tokens }: TokenEndpointDependencies,
): Promise<TokenResponse> {
  const presented = form.get('refresh_token');
  if (!presented) throw new OAuthError('invalid_request');
  const { grant, refreshToken } = grants.redeem(presented, client.id, client.rotatesRefreshTokens);
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
  return {
    ...(grant.scopes.includes('openid') ? { id_token: await tokens.mintIdToken(grant, nonce) } : {}),
    access_token: await tokens.mintAccessToken(grant),
    ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
    expires_in: tokens.lifetime(),
    token_type: 'Bearer',
  };
}

/** A field that comes twice makes the request invalid (RFC 6749 section 3.2). Throws `OAuthError`. */
function uniqueFields(request: CloudRequest): URLSearchParams {
  const form = formOf(request);
  const names = [...form.keys()];
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '');
  if (request.method !== 'POST' || !isForm || names.length !== new Set(names).size) {
    throw new OAuthError('invalid_request');
  }
  return form;
}
