import { formOf, type Handler, json, redirect } from '../http/exchange.ts';
import type { Grants } from '../user-pool/grants.ts';
import type { Keys } from '../user-pool/keys.ts';
import { TokenError, type Tokens } from '../user-pool/tokens.ts';
import { ALLOWED_SCOPES, type UserPool } from '../user-pool/user-pool.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { anyOrigin, authenticateClient, OAuthError, oauthErrorReply } from './client-authentication.ts';

/**
 * `POST /oauth2/revoke` (RFC 7009): ends a refresh token and every token that came of its sign-in. A token that is no
 * good any more, or never was, is answered with 200 too.
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
      const form = formOf(request);
      const client = authenticateClient(request, form, userPool, 401);
      const token = form.get('token');
      if (request.method !== 'POST' || !token) throw new OAuthError('invalid_request');
      // ID and access tokens have three parts, and only refresh tokens can be revoked.
      if (token.split('.').length === 3) throw new OAuthError('unsupported_token_type');
      grants.revokeToken(token, client.id);
      return { status: 200, headers: { ...anyOrigin, 'cache-control': 'no-store' } };
    } catch (error) {
      if (error instanceof OAuthError) return oauthErrorReply(error.error, error.status);
      throw error;
    }
  };
}

/**
 * `GET /oauth2/userInfo` (OpenID Connect Core section 5.3) for an access token of scope `openid`.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/userinfo-endpoint.html
 */
export function createUserInfo({ tokens, grants }: { tokens: Tokens; grants: Grants }): Handler {
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
        // `email_verified` is a text here, though a boolean in the ID token. So it is at AWS.
        { sub: claims.sub, username: claims.username, ...(email ? { email, email_verified: 'true' } : {}) },
        anyOrigin,
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

function bearerError(status: number, error: string, description: string) {
  return json(
    status,
    { error, error_description: description },
    { ...anyOrigin, 'www-authenticate': `Bearer error="${error}", error_description="${description}"` },
  );
}

/**
 * `GET /logout`: ends the hosted login's own session, and no token. Then to the site's registered sign-out address,
 * or to sign in again.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html
 */
export function createLogout({
  userPool,
  browserSessions,
}: {
  userPool: UserPool;
  browserSessions: BrowserSessions;
}): Handler {
  return (request) => {
    const params = request.url.searchParams;
    const clientId = params.get('client_id') ?? '';
    const client = userPool.client(clientId);
    const logoutUri = params.get('logout_uri');
    const error = (code: string) =>
      redirect(`/error?${new URLSearchParams({ error: code, client_id: clientId })}`);
    if (!client) return error('invalid_client');
    if (logoutUri !== null) {
      if (!client.signOutUrls.has(logoutUri)) return error('redirect_mismatch');
      return redirect(logoutUri, { 'set-cookie': browserSessions.end(request) });
    }
    if (!client.callbackUrls.has(params.get('redirect_uri') ?? '')) return error('redirect_mismatch');
    return redirect(`/login${request.url.search}`, { 'set-cookie': browserSessions.end(request) });
  };
}

/** `/.well-known/openid-configuration` (OpenID Connect Discovery section 4) and the keys it points at. */
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
  const cached = { 'cache-control': 'public, max-age=86400' };
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
    configuration: () => json(200, document, cached),
    jwks: () => json(200, keys.jwks, cached),
  };
}
