import { type Handler, json } from '../http/exchange.ts';
import type { Keys } from '../user-pool/keys.ts';
import { ALLOWED_SCOPES, type UserPool } from '../user-pool/user-pool.ts';

/**
 * Returns the handlers of `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0 section 4) and
 * `/.well-known/jwks.json` (RFC 7517 section 5).
 * https://docs.aws.amazon.com/cognito/latest/developerguide/federation-endpoints.html
 */
export function createDiscovery({
  userPool,
  keys,
  origin,
}: {
  userPool: UserPool;
  keys: Keys;
  origin: string;
}): {
  configuration: Handler;
  jwks: Handler;
} {
  const cacheHeaders = { 'cache-control': 'public, max-age=86400' };
  const document = {
    authorization_endpoint: `${origin}/oauth2/authorize`,
    end_session_endpoint: `${origin}/logout`,
    id_token_signing_alg_values_supported: ['RS256'],
    issuer: userPool.issuer,
    jwks_uri: `${userPool.issuer}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    revocation_endpoint: `${origin}/oauth2/revoke`,
    scopes_supported: ALLOWED_SCOPES,
    subject_types_supported: ['public'],
    token_endpoint: `${origin}/oauth2/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    userinfo_endpoint: `${origin}/oauth2/userInfo`,
  };
  return {
    configuration: () => json(200, document, cacheHeaders),
    jwks: () => json(200, keys.jwks, cacheHeaders),
  };
}
