/**
 * The hosted login: authorization code flow with PKCE (RFC 6749 section 4.1, RFC 7636) by remix-auth and
 * remix-auth-oauth2, with the additions of OpenID Connect and Cognito. `state` and code verifier are stored in the sealed
 * attempts of the browser.
 */
import { hash } from 'node:crypto';
import { Authenticator } from 'remix-auth';
import { OAuth2RequestError, OAuth2Strategy } from 'remix-auth-oauth2';
import type { Clock, Log, UpstreamMetrics } from '#upstream';
import type { ResponseCookies } from '../cookies/cookie-jar.ts';
import { isFromOtherSite } from '../requests/document-request.ts';
import type { Session, Sessions } from '../session/session.ts';
import type { SessionRecord } from '../session/session-record.ts';
import { DEFAULT_PATHS, type Settings } from '../settings.ts';
import type { SharedStore } from '../shared-store/shared-store.ts';
import { CodeExchanges, type IssuedTokens } from '../user-pool/code-exchange.ts';
import { SignInError } from '../user-pool/sign-in-error.ts';
import type { TokenVerifier, VerifiedTokens } from '../user-pool/token-verifier.ts';
import { authPathsOf, parseReturnTo } from './return-to.ts';
import { type SignInAttempt, SignInAttempts, type StepUpAttempt } from './sign-in-attempt.ts';
import { SignInCompletion } from './sign-in-completion.ts';
import { logSignInFailure } from './sign-in-failure.ts';
import { isBegunBy, type StepUpRequest, stepUpAttempt } from './step-up.ts';

/** A page of the hosted login. Each is a strategy of the authenticator. */
export type SignInPage = 'sign-in' | 'sign-up';

/**
 * What a sign-in results in: the new session, and the page to return to. With `stepUp` it is a fresh sign-in for an action,
 * and becomes a grant.
 */
export type SignIn = { record: SessionRecord; returnTo: string; stepUp?: StepUpAttempt | undefined };

/** The visitor of a request. */
export type Visitor = {
  /** The jar for the cookies of the response. */
  cookies: ResponseCookies;
  session: Session;
  /** Returns the address block of the visitor: callers with many sign-ins take turns with others. Default: one for all. */
  caller?: () => string;
};

/** The parameters of the redirect back to the site (RFC 6749 sections 4.1.2 and 4.1.2.1). */
export type AuthorizationResponse = { state: string } & ({ code: string } | { error: string });

type AuthenticatorDeps = {
  env: Pick<Settings, 'appOrigin' | 'paths' | 'session' | 'userPool'>;
  verifier: TokenVerifier;
  sessions: Pick<Sessions, 'create' | 'discard'>;
  store: SharedStore;
  clock: Clock;
  log: Log;
  metrics: Pick<UpstreamMetrics, 'shed'>;
  /** The language of the hosted login for a visitor who will return to this path, as Cognito names it, or null. */
  language: (returnTo: string) => string | null;
};

/** What all sign-ins of the process have in common. */
type HostedLoginDeps = Pick<AuthenticatorDeps, 'env' | 'verifier' | 'sessions' | 'log' | 'language'> & {
  attempts: SignInAttempts;
  completion: SignInCompletion;
  exchanges: CodeExchanges;
};

export const SCOPES = ['openid', 'email', 'profile'];

/** Access tokens with it may change the account of their user. Only those of a fresh sign-in for an action have it. */
const ACCOUNT_SCOPE = 'aws.cognito.signin.user.admin';

/** Cognito's page for new users accepts the parameters of an authorization request. */
const PATHS = { 'sign-in': '/oauth2/authorize', 'sign-up': '/signup' } as const;

/**
 * Returns a function that creates the authenticator of a request, with a strategy for each page of the hosted login. Both
 * accept the response to either. With `stepUp` they begin a fresh sign-in of the visitor, who must be signed in.
 */
export function createAuthenticators(
  deps: AuthenticatorDeps,
): (visitor: Visitor, stepUp?: StepUpRequest) => Authenticator<SignIn> {
  const shared = {
    ...deps,
    attempts: new SignInAttempts(deps),
    completion: new SignInCompletion(deps),
    exchanges: new CodeExchanges(deps.metrics),
  };
  return (visitor, stepUp) =>
    new Authenticator<SignIn>()
      .use(new HostedLogin('sign-in', shared, visitor, stepUp), 'sign-in')
      .use(new HostedLogin('sign-up', shared, visitor), 'sign-up');
}

class HostedLogin extends OAuth2Strategy<SignIn> {
  readonly #deps: HostedLoginDeps;
  readonly #visitor: Visitor;
  readonly #stepUp: StepUpRequest | undefined;
  /** What the request finishes. */
  #attempt: SignInAttempt | null = null;

  constructor(page: SignInPage, deps: HostedLoginDeps, visitor: Visitor, stepUp?: StepUpRequest) {
    const { appOrigin, userPool } = deps.env;
    const callbackPath = callbackPathOf(deps.env);
    super(
      {
        clientId: userPool.clientId,
        clientSecret: userPool.clientSecret,
        redirectURI: appOrigin + callbackPath,
        authorizationEndpoint: userPool.domain + PATHS[page],
        tokenEndpoint: `${userPool.domain}/oauth2/token`,
        scopes: stepUp ? [...SCOPES, ACCOUNT_SCOPE] : SCOPES,
      },
      ({ tokens }) => this.#verifyTokens(tokens),
    );
    this.#deps = deps;
    this.#visitor = visitor;
    this.#stepUp = stepUp;
  }

  /**
   * At the redirect URI it finishes a sign-in: it resolves with the new session, or rejects with a `SignInError`, whose
   * reason is in the log. At every other address it begins a sign-in, whatever the parameters: it stores the attempt and
   * throws the redirect to the hosted login.
   */
  override async authenticate(request: Request): Promise<SignIn> {
    const isCallback = new URL(request.url).pathname === callbackPathOf(this.#deps.env);
    return isCallback ? this.#finish(request) : this.#begin(request);
  }

  async #begin(request: Request): Promise<never> {
    const { url, state, codeVerifier } = this.createAuthorizationURL();
    url.search = this.authorizationParams(url.searchParams, request).toString();
    const { cookies, session } = this.#visitor;
    const returnTo = this.#returnTo(request);
    const stepUp =
      this.#stepUp && session.state === 'signed-in' ? stepUpAttempt(session, this.#stepUp) : undefined;
    await this.#deps.attempts.add(request, cookies, { state, codeVerifier, returnTo, stepUp });
    throw new Response(null, {
      status: 302,
      headers: { location: url.href, 'cache-control': 'private, no-store' },
    });
  }

  async #finish(request: Request): Promise<SignIn> {
    const { response, attempt } = await this.#openAttempt(request);
    this.#attempt = attempt;
    // An attempt accepts one response. Attempts in other tabs stay valid.
    this.#deps.attempts.remove(this.#visitor.cookies, attempt);
    const { returnTo, stepUp } = attempt;
    const action = stepUp?.action ?? null;
    if (stepUp && !isBegunBy(stepUp, this.#visitor.session)) {
      const error = new SignInError(
        'expired',
        'another session began the step-up',
        null,
        null,
        returnTo,
        action,
      );
      logSignInFailure(this.#deps.log, error);
      throw error;
    }
    const redeem = () => this.#redeem(request, response, attempt);
    const completed = await this.#deps.completion.complete(attempt, redeem);
    if ('error' in completed) {
      const message = 'the sign-in attempt has failed';
      throw new SignInError(completed.error, message, undefined, null, returnTo, action);
    }
    return { record: completed.record, returnTo, stepUp };
  }

  /** Returns the response of the hosted login and the attempt of this browser to which it belongs. */
  async #openAttempt(request: Request): Promise<{ response: AuthorizationResponse; attempt: SignInAttempt }> {
    const { env, attempts } = this.#deps;
    const response = parseAuthorizationResponse(new URL(request.url).searchParams, env.userPool.issuer);
    if (!response) throw this.#withoutAttempt('invalid-callback');
    const attempt = await attempts.find(request, response.state);
    if (!attempt) throw this.#withoutAttempt('expired');
    return { response, attempt };
  }

  /** It is no failure if a visitor who has signed in opens the callback again. */
  #withoutAttempt(code: 'invalid-callback' | 'expired'): SignInError {
    const error = new SignInError(code, 'the callback belongs to no sign-in attempt of this browser');
    if (this.#visitor.session.state !== 'signed-in') logSignInFailure(this.#deps.log, error);
    return error;
  }

  async #redeem(
    request: Request,
    response: AuthorizationResponse,
    { state, codeVerifier }: SignInAttempt,
  ): Promise<SessionRecord> {
    if ('error' in response) throw new OAuth2RequestError(response.error, null, null, state);
    const tokens = await this.validateAuthorizationCode(response.code, codeVerifier);
    const { record } = await this.verify({ request, tokens });
    return record;
  }

  async #verifyTokens(issued: IssuedTokens): Promise<SignIn> {
    if (!this.#attempt) throw this.#withoutAttempt('expired');
    const { codeVerifier, returnTo, stepUp } = this.#attempt;
    const tokens = {
      accessToken: issued.accessToken(),
      idToken: issued.idToken(),
      refreshToken: issued.hasRefreshToken() ? issued.refreshToken() : null,
    };
    const verified = await this.#deps.verifier.verify(tokens, nonceFor(codeVerifier));
    const failure = findMisuse(this.#attempt, verified);
    if (failure) {
      await this.#deps.sessions.discard(tokens);
      throw failure;
    }
    const event = stepUp ? 'fresh sign-in' : 'session started';
    const record = this.#deps.sessions.create({ tokens, verified }, event);
    return { record, returnTo, stepUp };
  }

  #returnTo(request: Request): string {
    return this.#stepUp
      ? parseSafeReturnTo(this.#stepUp.returnTo, this.#deps.env)
      : returnToOf(request, this.#deps.env);
  }

  protected override createAuthorizationURL() {
    const created = super.createAuthorizationURL();
    created.url.searchParams.set('nonce', nonceFor(created.codeVerifier));
    return created;
  }

  /**
   * Without `lang` the hosted login chooses a language from a cookie or `Accept-Language`, and the site
   * could not announce which. With `prompt` a session of the hosted login does not count (OpenID Connect Core section
   * 3.1.2.1): a visitor whom another site sent here must confirm the sign-in.
   */
  protected override authorizationParams(params: URLSearchParams, request: Request): URLSearchParams {
    const extended = super.authorizationParams(params, request);
    const language = this.#deps.language(this.#returnTo(request));
    if (language !== null) extended.set('lang', language);
    if (this.#stepUp || isFromOtherSite(request.headers)) extended.set('prompt', 'login');
    return extended;
  }

  /** The exchange of the library follows redirects, with the code and the client secret, and has no time limit. */
  protected override validateAuthorizationCode(code: string, codeVerifier: string): Promise<IssuedTokens> {
    const caller = this.#visitor.caller?.() ?? '';
    return this.#deps.exchanges.exchange(this.options, { code, codeVerifier }, caller);
  }
}

function callbackPathOf({ paths = DEFAULT_PATHS }: Pick<Settings, 'paths'>): string {
  return paths.callback;
}

function returnToOf(request: Request, env: Pick<Settings, 'appOrigin' | 'paths'>): string {
  return parseSafeReturnTo(new URL(request.url).searchParams.get('returnTo'), env);
}

function parseSafeReturnTo(
  returnTo: string | null,
  { appOrigin, paths = DEFAULT_PATHS }: Pick<Settings, 'appOrigin' | 'paths'>,
): string {
  return parseReturnTo(returnTo, appOrigin, authPathsOf(paths));
}

/** `auth_time` has whole seconds. */
const AUTH_TIME_STEP_MS = 1000;

/**
 * The visitor's browser can change the parameters of the request to the hosted login. So the tokens of a fresh sign-in must
 * be those of the same user, who signed in after the attempt began (OpenID Connect Core section 3.1.3.7, rule 13), and those
 * of a session must not be able to change the account. Returns null if all is well.
 */
function findMisuse({ stepUp, startedAt }: SignInAttempt, verified: VerifiedTokens): SignInError | null {
  const { user, authenticatedAt, clockDrift, scopes } = verified;
  if (stepUp === undefined) {
    const isForAccount = scopes.includes(ACCOUNT_SCOPE);
    return isForAccount ? new SignInError('refused', 'the tokens of a session have the account scope') : null;
  }
  if (user.sub !== stepUp.sub) return new SignInError('other-user', 'another user has signed in');
  const isFresh = (authenticatedAt ?? 0) + AUTH_TIME_STEP_MS > startedAt + clockDrift;
  return isFresh ? null : new SignInError('not-confirmed', 'the user has not signed in again');
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
export function createLogoutUrl({ appOrigin, userPool }: Pick<Settings, 'appOrigin' | 'userPool'>): string {
  const url = new URL('/logout', userPool.domain);
  url.search = new URLSearchParams({
    client_id: userPool.clientId,
    logout_uri: `${appOrigin}/`,
  }).toString();
  return url.href;
}
