/**
 * The hosted login: authorization code flow with PKCE (RFC 6749 section 4.1, RFC 7636) by remix-auth and
 * remix-auth-oauth2, with the additions of OpenID Connect and Cognito (record 010).
 */
import { hash } from 'node:crypto';
import type { OAuth2Tokens } from 'arctic';
import { parseCookie, parseSetCookie } from 'cookie';
import { Authenticator } from 'remix-auth';
import { OAuth2Strategy } from 'remix-auth-oauth2';
import { hostedLoginLanguage } from '../../i18n/hosted-login.ts';
import { localeOfPath } from '../../i18n/locales.ts';
import type { Env } from '../config/env.ts';
import { isFromOtherSite } from '../http/document-request.ts';
import type { Metrics } from '../observability/metrics.ts';
import { ConcurrencyLimit } from '../resilience/concurrency-limit.ts';
import { withDeadline } from '../resilience/deadline.ts';
import { exchangeCode } from './code-exchange.ts';
import type { TokenVerifier, VerifiedTokens } from './token-verifier.ts';
import type { Tokens } from './tokens.ts';

/** A page of the hosted login. Each is a strategy of the authenticator. */
export type SignInPage = 'sign-in' | 'sign-up';

/** What a sign-in results in: the tokens, and what their verification found. */
export type SignInResult = {
  tokens: Pick<Tokens, 'accessToken' | 'idToken' | 'refreshToken'>;
  verified: VerifiedTokens;
};

/** `location` is where the browser is redirected to. The two secrets are needed again for the response. */
export type AuthorizationRequest = { location: string; state: string; codeVerifier: string };

/** The parameters of the redirect back to the site (RFC 6749 sections 4.1.2 and 4.1.2.1). */
export type AuthorizationResponse = { state: string } & ({ code: string } | { error: string });

type LoginEnv = Pick<Env, 'appOrigin' | 'userPool'>;

type AuthenticatorDeps = { env: LoginEnv; verifier: TokenVerifier; metrics: Pick<Metrics, 'shed'> };

const SCOPES = ['openid', 'email', 'profile'];

/** Cognito's page for new users accepts the parameters of an authorization request. */
const PATHS = { 'sign-in': '/oauth2/authorize', 'sign-up': '/signup' } as const;

/** The cookie in which the library reads and writes `state` and code verifier. No browser gets it (record 010). */
const STORE_NAME = 'oauth2';

/** For the whole exchange, including the wait for a place. */
const EXCHANGE_TIMEOUT_MS = 4500;
const MAX_CONCURRENT_EXCHANGES = 50;
const MAX_WAITING_EXCHANGES = 2000;

/**
 * Creates the authenticator of the site, with a strategy for each page of the hosted login. Both accept the response to
 * either. With a request without `state`, `authenticate` begins a sign-in: it rejects with the redirect, which
 * `readAuthorizationRequest` reads. With a request from `createCallbackRequest` it finishes one: it resolves with the
 * verified tokens, or rejects with `OAuth2RequestError` if the hosted login returned an error or rejected the code, with
 * the `SignInError` `invalid-token`, or with an `UpstreamError`.
 */
export function createAuthenticator(deps: AuthenticatorDeps): Authenticator<SignInResult> {
  const exchanges = new ConcurrencyLimit({
    service: 'hosted-login',
    maxConcurrent: MAX_CONCURRENT_EXCHANGES,
    maxQueued: MAX_WAITING_EXCHANGES,
    metrics: deps.metrics,
  });
  return new Authenticator<SignInResult>()
    .use(new HostedLogin('sign-in', deps, exchanges), 'sign-in')
    .use(new HostedLogin('sign-up', deps, exchanges), 'sign-up');
}

class HostedLogin extends OAuth2Strategy<SignInResult> {
  readonly #exchanges: ConcurrencyLimit;

  constructor(page: SignInPage, { env, verifier }: AuthenticatorDeps, exchanges: ConcurrencyLimit) {
    const { domain, clientId, clientSecret } = env.userPool;
    super(
      {
        cookie: STORE_NAME,
        clientId,
        clientSecret,
        redirectURI: `${env.appOrigin}/auth/callback`,
        authorizationEndpoint: domain + PATHS[page],
        tokenEndpoint: `${domain}/oauth2/token`,
        scopes: SCOPES,
      },
      async ({ request, tokens: issued }) => {
        const tokens = {
          accessToken: issued.accessToken(),
          idToken: issued.idToken(),
          refreshToken: issued.hasRefreshToken() ? issued.refreshToken() : null,
        };
        return { tokens, verified: await verifier.verify(tokens, nonceFor(codeVerifierOf(request))) };
      },
    );
    this.#exchanges = exchanges;
  }

  protected override createAuthorizationURL() {
    const created = super.createAuthorizationURL();
    created.url.searchParams.set('nonce', nonceFor(created.codeVerifier));
    return created;
  }

  /**
   * `lang` is always set: without it the hosted login chooses a language from a cookie or `Accept-Language`, and the site
   * could not announce which. With `prompt` a session of the hosted login does not count (OpenID Connect Core section
   * 3.1.2.1): a visitor whom another site sent here must confirm the sign-in (record 010).
   */
  protected override authorizationParams(params: URLSearchParams, request: Request): URLSearchParams {
    const extended = super.authorizationParams(params, request);
    const { searchParams, origin } = new URL(request.url);
    const { pathname } = new URL(searchParams.get('returnTo') ?? '/', origin);
    extended.set('lang', hostedLoginLanguage(localeOfPath(pathname).code));
    if (isFromOtherSite(request.headers)) extended.set('prompt', 'login');
    return extended;
  }

  /** The exchange of the library follows redirects, with the code and the client secret, and has no time limit. */
  protected override validateAuthorizationCode(code: string, codeVerifier: string): Promise<OAuth2Tokens> {
    return withDeadline(EXCHANGE_TIMEOUT_MS, undefined, (signal) =>
      this.#exchanges.run(signal, () => exchangeCode(this.options, { code, codeVerifier }, signal)),
    );
  }
}

/**
 * Returns the redirect to the hosted login that `authenticate` rejects with when it begins a sign-in, and the secrets that
 * it would store in a cookie. Rejects with any other error of `authenticate`.
 */
export async function readAuthorizationRequest(
  authentication: Promise<SignInResult>,
): Promise<AuthorizationRequest> {
  const redirect = await authentication.catch((thrown: unknown) => thrown);
  if (!(redirect instanceof Response)) throw redirect;
  const { value } = parseSetCookie(redirect.headers.get('set-cookie') ?? '');
  const stored = new URLSearchParams(value);
  const state = stored.get('state') ?? '';
  return { location: redirect.headers.get('location') ?? '', state, codeVerifier: stored.get(state) ?? '' };
}

/**
 * Returns the request with which `authenticate` finishes a sign-in: the checked response and, in the cookie that the
 * library reads, the secrets of its attempt. The library compares the two `state` values and redeems the code.
 */
export function createCallbackRequest(
  { appOrigin }: Pick<Env, 'appOrigin'>,
  response: AuthorizationResponse,
  { state, codeVerifier }: Pick<AuthorizationRequest, 'state' | 'codeVerifier'>,
): Request {
  const cookie = `${STORE_NAME}=${new URLSearchParams({ [state]: codeVerifier })}`;
  return new Request(`${appOrigin}/auth/callback?${new URLSearchParams(response)}`, { headers: { cookie } });
}

/** The code verifier of a request from `createCallbackRequest`, whose `state` the library has compared. */
function codeVerifierOf(request: Request): string {
  const stored = parseCookie(request.headers.get('cookie') ?? '')[STORE_NAME];
  const state = new URL(request.url).searchParams.get('state') ?? '';
  return new URLSearchParams(stored).get(state) ?? '';
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
