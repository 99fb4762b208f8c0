/**
 * The hosted login: authorization code flow with PKCE (RFC 6749 section 4.1, RFC 7636) by remix-auth-oauth2, with the
 * additions of OpenID Connect and Cognito.
 */
import { hash } from 'node:crypto';
import { OAuth2Strategy } from 'remix-auth-oauth2';
import { hostedLoginLanguage } from '../../i18n/hosted-login.ts';
import type { LocaleCode } from '../../i18n/locales.ts';
import type { Env } from '../config/env.ts';
import type { CallSignal } from '../resilience/call-signal.ts';
import { type ExchangedTokens, exchangeCode } from './code-exchange.ts';

/** `location` is where the browser is redirected to. The two secrets are needed again for the response. */
export type AuthorizationRequest = { location: string; state: string; codeVerifier: string };

/** The parameters of the redirect back to the site (RFC 6749 sections 4.1.2 and 4.1.2.1). */
export type AuthorizationResponse = { state: string } & ({ code: string } | { error: string });

type LoginEnv = Pick<Env, 'appOrigin' | 'userPool'>;

const SCOPES = ['openid', 'email', 'profile'];

/**
 * The library's `authenticate` is for sites that leave the request and the cookie to it. This site stores `state` and
 * the code verifier in a cookie of its own, so it calls the two steps of the flow directly.
 */
export class HostedLogin extends OAuth2Strategy<ExchangedTokens> {
  constructor(private readonly env: LoginEnv) {
    const { domain, clientId, clientSecret } = env.userPool;
    super(
      {
        clientId,
        clientSecret,
        redirectURI: redirectUri(env),
        authorizationEndpoint: `${domain}/oauth2/authorize`,
        tokenEndpoint: `${domain}/oauth2/token`,
        scopes: SCOPES,
      },
      rejectLibraryExchange,
    );
  }

  /**
   * Creates an authorization request for one of the hosted login's pages. `lang` is always set: without it the hosted
   * login chooses a language from a cookie or `Accept-Language`, and the site could not announce which. With `asksAgain` a
   * session of the hosted login does not count (OpenID Connect Core section 3.1.2.1).
   */
  createAuthorizationRequest(
    page: 'sign-in' | 'sign-up',
    locale: LocaleCode,
    { asksAgain = false }: { asksAgain?: boolean } = {},
  ): AuthorizationRequest {
    const { state, codeVerifier, url } = this.createAuthorizationURL();
    if (page === 'sign-up') url.pathname = '/signup';
    url.searchParams.set('nonce', nonceFor(codeVerifier));
    url.searchParams.set('lang', hostedLoginLanguage(locale));
    if (asksAgain) url.searchParams.set('prompt', 'login');
    return { location: url.href, state, codeVerifier };
  }

  /**
   * Exchanges a code for tokens. Rejects with `OAuth2RequestError` if the token endpoint rejects the code, and with an
   * `UpstreamError` if it does not respond, redirects, or responds with something else.
   */
  exchangeCode(code: string, codeVerifier: string, signal: CallSignal): Promise<ExchangedTokens> {
    return exchangeCode(
      this.env.userPool,
      { code, codeVerifier, redirectUri: redirectUri(this.env) },
      signal,
    );
  }

  protected override validateAuthorizationCode(): Promise<never> {
    return rejectLibraryExchange();
  }
}

function redirectUri({ appOrigin }: LoginEnv): string {
  return `${appOrigin}/auth/callback`;
}

/** The library's exchange follows redirects, with the code and the secret of the app client. */
async function rejectLibraryExchange(): Promise<never> {
  throw new Error('Codes are exchanged by HostedLogin.exchangeCode.');
}

/**
 * The ID token must repeat the nonce, which binds it to this sign-in attempt (OpenID Connect Core section 15.5.2). The
 * nonce is derived from the code verifier so that no third secret has to be stored.
 */
export function nonceFor(codeVerifier: string): string {
  return hash('sha256', `nonce:${codeVerifier}`, 'base64url');
}

/** The characters of RFC 6749 appendix A. Our own `state` has 43 characters, the codes of Cognito are UUIDs. */
const STATE = /^[ -~]{1,128}$/;
const CODE = /^[ -~]{1,2048}$/;
/** The log shows it. The longest registered one, `unmet_authentication_requirements`, has 33 characters. */
const ERROR = /^[ !#-[\]-~]{1,100}$/;

/**
 * Returns the parameters of the redirect back to the site, or null if they are missing, repeated, contradictory, longer
 * than any real one, of other characters than RFC 6749 allows, or from another issuer (RFC 9207).
 */
export function parseAuthorizationResponse(
  params: URLSearchParams,
  expectedIssuer: string,
): AuthorizationResponse | null {
  const isRepeated = ['state', 'code', 'error', 'iss'].some((name) => params.getAll(name).length > 1);
  const [state, code, error, issuer] = ['state', 'code', 'error', 'iss'].map((name) => params.get(name));
  if (isRepeated || !state || !STATE.test(state)) return null;
  if (issuer !== null && issuer !== expectedIssuer) return null;
  if (code && error === null) return CODE.test(code) ? { state, code } : null;
  return error && code === null && ERROR.test(error) ? { state, error } : null;
}

/**
 * Returns the address that ends the session of the hosted login and redirects back to the site's home page (AWS, "Logout
 * endpoint"). `logout_uri` must be registered in exactly this form.
 */
export function createLogoutUrl({ appOrigin, userPool }: LoginEnv): string {
  const url = new URL('/logout', userPool.domain);
  url.search = new URLSearchParams({
    client_id: userPool.clientId,
    logout_uri: `${appOrigin}/`,
  }).toString();
  return url.href;
}
