import { type Handler, parseForm } from '../http/exchange.ts';
import type { Grants } from '../user-pool/grants.ts';
import type { UserPool } from '../user-pool/user-pool.ts';
import {
  anyOriginHeaders,
  authenticateClient,
  OAuthError,
  oauthErrorResponse,
} from './client-authentication.ts';

/**
 * Returns the handler of `POST /oauth2/revoke` (RFC 7009). It revokes a refresh token and every other token of the
 * same sign-in. The response to an unknown or already revoked token is also 200.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/revocation-endpoint.html
 */
export function createRevocationEndpoint({
  userPool,
  grants,
}: {
  userPool: UserPool;
  grants: Grants;
}): Handler {
  return (request) => {
    try {
      const form = parseForm(request);
      const client = authenticateClient(request, form, userPool, 401);
      const token = form.get('token');
      if (request.method !== 'POST' || !token) throw new OAuthError('invalid_request');
      // Only refresh tokens can be revoked. ID tokens and access tokens are the ones with three parts.
      if (token.split('.').length === 3) throw new OAuthError('unsupported_token_type');
      grants.revokeToken(token, client.id);
      return { status: 200, headers: { ...anyOriginHeaders, 'cache-control': 'no-store' } };
    } catch (error) {
      if (error instanceof OAuthError) return oauthErrorResponse(error.error, error.status);
      throw error;
    }
  };
}
