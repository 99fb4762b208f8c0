/** Signing in and up at the hosted login: the redirect to it and the redirect back. */
import { OAuth2RequestError } from 'remix-auth-oauth2';
import { defaultLocale, localeOfPath, localizePath, parseLocale } from '../../i18n/locales.ts';
import type { Env } from '../config/env.ts';
import { type ResponseCookies, readCookies } from '../cookies/cookie-jar.ts';
import { isFromOtherSite } from '../http/document-request.ts';
import { type Metrics, noMetrics } from '../observability/metrics.ts';
import { LOCALE_COOKIE } from '../preferences/preferences.ts';
import type { Clock } from '../resilience/clock.ts';
import { ConcurrencyLimit } from '../resilience/concurrency-limit.ts';
import { withDeadline } from '../resilience/deadline.ts';
import type { Session, Sessions } from '../session/session.ts';
import type { ExchangedTokens } from '../user-pool/code-exchange.ts';
import {
  type AuthorizationResponse,
  createLogoutUrl,
  HostedLogin,
  nonceFor,
  parseAuthorizationResponse,
} from '../user-pool/hosted-login.ts';
import { SignInError, type SignInErrorCode } from '../user-pool/sign-in-error.ts';
import type { TokenVerifier } from '../user-pool/token-verifier.ts';
import { createSignInAttempts, type SignInAttempt } from './sign-in-attempt.ts';

/** The path to redirect to after the callback, and why the sign-in failed if it did. */
export type SignInOutcome = { returnTo: string; error: SignInError | null };

export type SignIn = {
  /**
   * Starts an attempt and returns the address at the hosted login. When another site caused the request, the hosted login
   * asks for the password even if it has a session. `returnTo` must come from `parseReturnTo`.
   */
  begin(
    request: Request,
    cookies: ResponseCookies,
    page: 'sign-in' | 'sign-up',
    returnTo: string,
  ): Promise<string>;
  /**
   * Checks the hosted login's response and starts the session. `session` is the current one: when a signed-in visitor
   * reloads the callback, that is no error. Never rejects.
   */
  finish(request: Request, cookies: ResponseCookies, session: Session): Promise<SignInOutcome>;
  /** The address at the hosted login that ends the session there and redirects to the site's home page. */
  logoutUrl: string;
};

/** How long an authorization code is valid (AWS, "Authorize endpoint"). */
const CODE_LIFETIME_MS = 5 * 60 * 1000;

/** For the whole exchange, including the wait for a place. */
const EXCHANGE_TIMEOUT_MS = 4500;
const MAX_CONCURRENT_EXCHANGES = 50;
const MAX_WAITING_EXCHANGES = 2000;

/** Longer paths lose their query: five attempts must fit into the request headers. */
const MAX_RETURN_TO = 512;

/** RFC 6749 section 4.1.2.1. Every other code means `refused`. */
const ERROR_CODES = new Map<string, SignInErrorCode>([
  ['access_denied', 'cancelled'],
  ['server_error', 'unavailable'],
  ['temporarily_unavailable', 'unavailable'],
]);

/** What the operator can do about errors of the configuration, by the error code of the hosted login. */
const FIXES = new Map([
  ['invalid_scope', 'Allow the scopes openid, email and profile in the app client COGNITO_CLIENT_ID.'],
  ['unauthorized_client', 'Allow the authorization code grant in the app client COGNITO_CLIENT_ID.'],
  [
    'invalid_client',
    'Set COGNITO_CLIENT_ID and COGNITO_CLIENT_SECRET to an app client of the user pool and its secret.',
  ],
  [
    'invalid_grant',
    'If this happens to every sign-in, let the app client COGNITO_CLIENT_ID read the attributes of its scopes. Without a list of readable attributes it reads all.',
  ],
]);

type SignInDeps = {
  env: Pick<Env, 'appOrigin' | 'session' | 'userPool'>;
  sessions: Sessions;
  verifier: TokenVerifier;
  clock: Clock;
  metrics?: Metrics;
};

/** Creates the sign-in for the site and user pool that `env` names. */
export function createSignIn({ env, sessions, verifier, clock, metrics = noMetrics }: SignInDeps): SignIn {
  const attempts = createSignInAttempts({ env, clock });
  const hostedLogin = new HostedLogin(env);
  const exchangeCode = limitExchanges(hostedLogin, metrics);

  /** Returns the verified result of a sign-in. Throws what made it fail. */
  const redeem = async (response: AuthorizationResponse, { codeVerifier }: SignInAttempt) => {
    if ('error' in response) throw hostedLoginError(response);
    const tokens = await exchangeCode(response.code, codeVerifier);
    return { tokens, verified: await verifier.verify(tokens, nonceFor(codeVerifier)) };
  };

  return {
    async begin(request, cookies, page, returnTo) {
      const { pathname } = new URL(returnTo, env.appOrigin);
      const locale = localeOfPath(pathname).code;
      const { location, state, codeVerifier } = hostedLogin.createAuthorizationRequest(page, locale, {
        asksAgain: isFromOtherSite(request.headers),
      });
      const attempt = { state, codeVerifier, returnTo: shorten(returnTo, pathname), startedAt: clock() };
      await attempts.add(request, cookies, attempt);
      return location;
    },

    async finish(request, cookies, session) {
      const response = parseAuthorizationResponse(new URL(request.url).searchParams, env.userPool.issuer);
      if (!response) return withoutAttempt(request, session, 'invalid-callback');
      const attempt = await attempts.find(request, response.state);
      if (!attempt) return withoutAttempt(request, session, 'expired');
      // An attempt accepts one response. Attempts in other tabs stay valid.
      attempts.remove(cookies, attempt.state);
      try {
        await sessions.start(request, cookies, session, await redeem(response, attempt));
        return { returnTo: attempt.returnTo, error: null };
      } catch (error) {
        return { returnTo: attempt.returnTo, error: toSignInError(error, clock() - attempt.startedAt) };
      }
    },

    logoutUrl: createLogoutUrl(env),
  };
}

/** Limits the concurrent code exchanges and gives each a deadline. */
function limitExchanges(
  hostedLogin: HostedLogin,
  metrics: Metrics,
): (code: string, codeVerifier: string) => Promise<ExchangedTokens> {
  const limit = new ConcurrencyLimit({
    service: 'hosted-login',
    maxConcurrent: MAX_CONCURRENT_EXCHANGES,
    maxQueued: MAX_WAITING_EXCHANGES,
    metrics,
  });
  return (code, codeVerifier) =>
    withDeadline(EXCHANGE_TIMEOUT_MS, undefined, (signal) =>
      limit.run(signal, () => hostedLogin.exchangeCode(code, codeVerifier, signal)),
    );
}

/** The outcome of a callback that belongs to no attempt: the home page in the visitor's language. */
function withoutAttempt(request: Request, session: Session, code: SignInErrorCode): SignInOutcome {
  const locale = parseLocale(readCookies(request).get(LOCALE_COOKIE)) ?? defaultLocale;
  const error = new SignInError(code, 'the callback belongs to no sign-in attempt of this browser');
  return { returnTo: localizePath('/', locale), error: session.state === 'signed-in' ? null : error };
}

function hostedLoginError({ error, state }: { error: string; state: string }): SignInError {
  const cause = new OAuth2RequestError(error, null, null, state);
  const message = 'the hosted login returned an error';
  return new SignInError(ERROR_CODES.get(error) ?? 'refused', message, cause, FIXES.get(error));
}

/**
 * `ageMs` is the age of the attempt. While it is younger than the lifetime of a code, its code cannot have expired. The
 * token endpoint then rejects it because it was used before, or because the app client may not read an attribute of a
 * scope: both are `invalid_grant`.
 */
function toSignInError(error: unknown, ageMs: number): SignInError {
  if (error instanceof SignInError) return error;
  if (!(error instanceof OAuth2RequestError)) {
    return new SignInError('unavailable', 'the code could not be exchanged for tokens', error);
  }
  const isExpired = error.code === 'invalid_grant' && ageMs >= CODE_LIFETIME_MS;
  const message = 'the token endpoint rejected the code';
  return new SignInError(
    isExpired ? 'expired' : 'unavailable',
    message,
    error,
    isExpired ? null : FIXES.get(error.code),
  );
}

function shorten(returnTo: string, pathname: string): string {
  if (returnTo.length <= MAX_RETURN_TO) return returnTo;
  return pathname.length <= MAX_RETURN_TO ? pathname : '/';
}
