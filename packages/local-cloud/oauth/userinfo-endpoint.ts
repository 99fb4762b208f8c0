import { type CloudResponse, type Handler, json } from '../http/exchange.ts';
import type { Grants } from '../user-pool/grants.ts';
import { TokenError, type Tokens } from '../user-pool/tokens.ts';
import { anyOriginHeaders } from './client-authentication.ts';

/**
 * Returns the handler of `GET /oauth2/userInfo` (OpenID Connect Core 1.0 section 5.3). The access token must have
 * the scope `openid`.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/userinfo-endpoint.html
 */
export function createUserInfoEndpoint({ tokens, grants }: { tokens: Tokens; grants: Grants }): Handler {
  return async (request) => {
    const token = /^bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) return bearerError(400, 'invalid_request', 'The access token is missing.');
    try {
      const claims = await tokens.verifyAccessToken(token);
      const scopes = claims.scope.split(' ');
      if (!scopes.includes('openid'))
        return bearerError(403, 'insufficient_scope', 'The scope openid is missing.');
      const email = scopes.includes('email') ? grants.find(claims.origin_jti)?.email : null;
      return json(
        200,
        // As at AWS, `email_verified` is a string here and a boolean in the ID token.
        { sub: claims.sub, username: claims.username, ...(email ? { email, email_verified: 'true' } : {}) },
        anyOriginHeaders,
      );
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      return bearerError(
        401,
        'invalid_token',
        'Access token is expired, disabled, or deleted, or the user has globally signed out.',
      );
    }
  };
}

/** Returns an error response with the `WWW-Authenticate` header of RFC 6750 section 3. */
function bearerError(status: number, error: string, description: string): CloudResponse {
  return json(
    status,
    { error, error_description: description },
    {
      ...anyOriginHeaders,
      'www-authenticate': `Bearer error="${error}", error_description="${description}"`,
    },
  );
}
