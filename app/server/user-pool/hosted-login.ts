/**
 * The hosted login as remix-auth knows it: authorization code flow with PKCE (RFC 6749 section 4.1, RFC 7636), and
 * what OpenID Connect and Cognito add to it.
 */
import { hash } from 'node:crypto';
import { parseSetCookie } from 'cookie';
import { OAuth2Strategy } from 'remix-auth-oauth2';
import type { Env } from '../config/env.ts';

/** The tokens as the token endpoint gave them: nothing is verified yet. */
export type ExchangedTokens = { accessToken: string; idToken: string; refreshToken: string | null };

/** Where the visitor is sent, and the two secrets that the answer is judged by. */
export type AuthorizationRequest = { location: string; state: string; codeVerifier: string };

/** What the hosted login sends back with the visitor. */
export type AuthorizationResponse = { state: string } & ({ code: string } | { error: string });

const SCOPES = ['openid', 'email', 'profile'];

/** The library keeps `state` and `code_verifier` in a cookie of this name, which here never leaves the server. */
const LIBRARY_COOKIE = 'attempt';

/**
 * The ID token has to repeat it, which ties that token to this attempt (OpenID Connect Core section 15.5.2). It is
 * made from the attempt's other secret, so there is no third one to keep.
 */
export function nonceFor(codeVerifier: string): string {
  return hash('sha256', `nonce:${codeVerifier}`, 'base64url');
}

export class HostedLoginStrategy extends OAuth2Strategy<ExchangedTokens> {
  constructor({ appOrigin, userPool }: Pick<Env, 'appOrigin' | 'userPool'>, page: 'sign-in' | 'sign-up') {
    const { domain, clientId, clientSecret } = userPool;
    super(
      {
        clientId,
        clientSecret,
        redirectURI: `${appOrigin}/auth/callback`,
        authorizationEndpoint: `${domain}${page === 'sign-in' ? '/oauth2/authorize' : '/signup'}`,
        tokenEndpoint: `${domain}/oauth2/token`,
        cookie: LIBRARY_COOKIE,
        scopes: SCOPES,
      },
      async ({ tokens }) => ({
        accessToken: tokens.accessToken(),
        idToken: tokens.idToken(),
        // Not every client is given one.
        refreshToken: tokens.hasRefreshToken() ? tokens.refreshToken() : null,
      }),
    );
    this.name = page;
  }

  protected override createAuthorizationURL() {
    const request = super.createAuthorizationURL();
    request.url.searchParams.set('nonce', nonceFor(request.codeVerifier));
    return request;
  }

  protected override authorizationParams(params: URLSearchParams, request: Request): URLSearchParams {
    const lang = new URL(request.url).searchParams.get('lang');
    if (lang) params.set('lang', lang);
    return params;
  }
}

/** The request that makes the library begin, and nothing of the visitor's own. */
export function beginningRequest(appOrigin: string, lang: string | null): Request {
  const url = new URL('/auth/sign-in', appOrigin);
  if (lang) url.searchParams.set('lang', lang);
  return new Request(url);
}

/** What is in the redirect that the library throws to begin. */
export function readAuthorizationRequest(redirect: Response): AuthorizationRequest {
  const attempt = new URLSearchParams(parseSetCookie(redirect.headers.get('set-cookie') ?? '').value);
  const state = attempt.get('state');
  const codeVerifier = state && attempt.get(state);
  const location = redirect.headers.get('location');
  if (!state || !codeVerifier || !location) throw new TypeError('remix-auth-oauth2 began in another way');
  return { location, state, codeVerifier };
}

/** The callback as the library expects it: the parameters that count, and the attempt in its cookie. */
export function callbackRequest(
  appOrigin: string,
  response: AuthorizationResponse,
  codeVerifier: string,
): Request {
  const { state } = response;
  const url = new URL('/auth/callback', appOrigin);
  url.search = new URLSearchParams(response).toString();
  const cookie = new URLSearchParams({ state, [state]: codeVerifier });
  return new Request(url, { headers: { cookie: `${LIBRARY_COOKIE}=${cookie}` } });
}
