import { type Handler, json } from '../http/exchange.ts';
import type { Keys } from '../user-pool/keys.ts';
import type { UserPool } from '../user-pool/user-pool.ts';

const cacheHeaders = { 'cache-control': 'public, max-age=86400' };

/**
 * Returns the handler of `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0 section 4).
 * https://docs.aws.amazon.com/cognito/latest/developerguide/federation-endpoints.html
 */
export function createDiscovery({ issuer, allowedScopes }: UserPool, origin: string): Handler {
  const document = {
    authorization_endpoint: `${origin}/oauth2/authorize`,
    end_session_endpoint: `${origin}/logout`,
    id_token_signing_alg_values_supported: ['RS256'],
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    revocation_endpoint: `${origin}/oauth2/revoke`,
    scopes_supported: allowedScopes,
    subject_types_supported: ['public'],
    token_endpoint: `${origin}/oauth2/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  };
  return () => json(200, document, cacheHeaders);
}

/** Returns the handler of `/.well-known/jwks.json` (RFC 7517 section 5). */
export function createJwks({ jwks }: Keys): Handler {
  return () => json(200, jwks, cacheHeaders);
}
