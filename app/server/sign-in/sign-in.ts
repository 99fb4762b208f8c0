/** Signing in and up at the hosted login, there and back again. */
import { Authenticator } from 'remix-auth';
import { OAuth2RequestError } from 'remix-auth-oauth2';
import {
  defaultLocale,
  type LocaleCode,
  localeOfPath,
  localizePath,
  parseLocale,
} from '../../i18n/locales.ts';
import type { Env } from '../config/env.ts';
import { type ResponseCookies, readCookies } from '../cookies/cookie-jar.ts';
import { type Metrics, noMetrics } from '../observability/metrics.ts';
import { LOCALE_COOKIE } from '../preferences/preferences.ts';
import type { Clock } from '../resilience/clock.ts';
import { createConcurrencyLimit } from '../resilience/concurrency-limit.ts';
import { untilAborted, withDeadline } from '../resilience/deadline.ts';
import type { Session, Sessions } from '../session/session.ts';
import {
  type AuthorizationResponse,
  beginningRequest,
  callbackRequest,
  type ExchangedTokens,
  HostedLoginStrategy,
  nonceFor,
  readAuthorizationRequest,
} from '../user-pool/hosted-login.ts';
import { SignInError, type SignInErrorCode } from '../user-pool/sign-in-error.ts';
import type { TokenVerifier } from '../user-pool/token-verifier.ts';
import { createSignInAttempts, type SignInAttempt } from './sign-in-attempt.ts';

/** Where the visitor goes from the callback, and why the sign-in came to nothing if it did. */
export type SignInOutcome = { returnTo: string; error: SignInError | null };

export type SignIn = {
  /** Begins an attempt and gives the address of the hosted login's page. `returnTo` is already known to be ours. */
  begin(
    request: Request,
    cookies: ResponseCookies,
    page: 'sign-in' | 'sign-up',
    returnTo: string,
  ): Promise<string>;
  /**
   * Judges the hosted login's answer and starts the session that it proves. `session` is what the visitor has so
   * far: someone signed in who reloads the callback is sent on in silence. Never rejects.
   */
  finish(request: Request, cookies: ResponseCookies, session: Session): Promise<SignInOutcome>;
  /** The hosted login's page that ends its own session, and comes back to the site's front page. */
  logoutUrl: string;
};

/** For the whole exchange, the wait for its turn included. The library would wait for as long as the token endpoint does. */
const EXCHANGE_TIMEOUT_MS = 4500;
const EXCHANGES_AT_ONCE = 50;
const EXCHANGES_WAITING = 2000;

/** Longer addresses are cut to their path: five attempts have to fit into the header of a request. */
const MAX_RETURN_TO = 512;

/** What the hosted login calls the languages that it knows (AWS, "Managed login localization"). */
const HOSTED_LANGUAGES: Partial<Record<LocaleCode, string>> = {
  en: 'en',
  fr: 'fr',
  es: 'es',
  zh: 'zh-CN',
  de: 'de',
  pt: 'pt-BR',
  ja: 'ja',
};

/** RFC 6749 section 4.1.2.1, where it is not simply a refusal. */
const ERROR_CODES: Record<string, SignInErrorCode> = {
  access_denied: 'cancelled',
  server_error: 'unavailable',
  temporarily_unavailable: 'unavailable',
};

type SignInDeps = {
  env: Pick<Env, 'appOrigin' | 'session' | 'userPool'>;
  sessions: Sessions;
  verifier: TokenVerifier;
  clock: Clock;
  metrics?: Metrics;
};

/** The sign-in of the site and user pool that `env` names. */
export function createSignIn({ env, sessions, verifier, clock, metrics = noMetrics }: SignInDeps): SignIn {
  const attempts = createSignInAttempts({ env, clock });
  const authenticator = new Authenticator<ExchangedTokens>()
    .use(new HostedLoginStrategy(env, 'sign-in'))
    .use(new HostedLoginStrategy(env, 'sign-up'));
  const exchange = createExchange((callback) => authenticator.authenticate('sign-in', callback), metrics);

  const complete = async (
    request: Request,
    cookies: ResponseCookies,
    session: Session,
    attempt: SignInAttempt,
    response: AuthorizationResponse,
  ): Promise<void> => {
    const callback = callbackRequest(env.appOrigin, response, attempt.codeVerifier);
    const { accessToken, idToken, refreshToken } = await exchange(callback);
    const tokens = { accessToken, idToken, refreshToken };
    const verified = await verifier.verify(tokens, nonceFor(attempt.codeVerifier));
    await sessions.start(request, cookies, session, { tokens, verified });
  };

  return {
    async begin(request, cookies, page, returnTo) {
      const { pathname } = new URL(returnTo, env.appOrigin);
      const lang = HOSTED_LANGUAGES[localeOfPath(pathname).code] ?? null;
      const redirect = await thrownResponse(
        authenticator.authenticate(page, beginningRequest(env.appOrigin, lang)),
      );
      const { location, state, codeVerifier } = readAuthorizationRequest(redirect);
      await attempts.remember(request, cookies, {
        state,
        codeVerifier,
        returnTo: shorten(returnTo, pathname),
        startedAt: clock(),
      });
      return location;
    },

    async finish(request, cookies, session) {
      const response = readAuthorizationResponse(new URL(request.url).searchParams, env.userPool.issuer);
      if (!response) return nothingBegun(request, session, 'invalid-callback');
      const attempt = await attempts.find(request, response.state);
      if (!attempt) return nothingBegun(request, session, 'expired');
      // Good for one answer, whatever it is. Other tabs may still be at theirs.
      attempts.forget(cookies, attempt.state);
      try {
        await complete(request, cookies, session, attempt, response);
        return { returnTo: attempt.returnTo, error: null };
      } catch (error) {
        return { returnTo: attempt.returnTo, error: explain(error, 'error' in response) };
      }
    },

    logoutUrl: logoutUrl(env),
  };
}

/** Redeems codes, only so many at once, and each in its time. */
function createExchange(
  redeem: (callback: Request) => Promise<ExchangedTokens>,
  metrics: Metrics,
): (callback: Request) => Promise<ExchangedTokens> {
  const limit = createConcurrencyLimit({
    service: 'hosted-login',
    atOnce: EXCHANGES_AT_ONCE,
    waiting: EXCHANGES_WAITING,
    metrics,
  });
  return (callback) =>
    withDeadline(EXCHANGE_TIMEOUT_MS, undefined, (signal) =>
      limit.run(signal, () => untilAborted(redeem(callback), signal)),
    );
}

/**
 * The parameters of a callback (RFC 6749 section 4.1.2), or null when they are none that the hosted login sends:
 * missing, doubled, contradictory, or from another issuer (RFC 9207).
 */
function readAuthorizationResponse(params: URLSearchParams, issuer: string): AuthorizationResponse | null {
  const single = (name: string): string | null => {
    const values = params.getAll(name);
    return values.length === 1 ? (values[0] ?? null) : null;
  };
  const isOnce = ['state', 'code', 'error', 'iss'].every((name) => params.getAll(name).length <= 1);
  const [state, code, error, from] = [single('state'), single('code'), single('error'), single('iss')];
  if (!isOnce || !state || (from !== null && from !== issuer)) return null;
  if (code && error === null) return { state, code };
  return error && code === null ? { state, error } : null;
}

/** For a callback that nothing leads back from: the front page, in the visitor's language. */
function nothingBegun(request: Request, session: Session, code: SignInErrorCode): SignInOutcome {
  const locale = parseLocale(readCookies(request).get(LOCALE_COOKIE)) ?? defaultLocale;
  const error = new SignInError(code, 'the callback belongs to no sign-in that this browser began');
  return { returnTo: localizePath('/', locale), error: session.state === 'signed-in' ? null : error };
}

function explain(error: unknown, isHostedLoginsWord: boolean): SignInError {
  if (error instanceof SignInError) return error;
  if (!(error instanceof OAuth2RequestError)) {
    return new SignInError('unavailable', 'the tokens could not be had', error);
  }
  if (isHostedLoginsWord) {
    return new SignInError(ERROR_CODES[error.code] ?? 'refused', 'the hosted login refused', error);
  }
  // A code that was used before or too late; what else the token endpoint refuses is for the site's operator.
  const code = error.code === 'invalid_grant' ? 'expired' : 'unavailable';
  return new SignInError(code, 'the token endpoint refused', error);
}

/** remix-auth says where to go by throwing. */
async function thrownResponse(authentication: Promise<unknown>): Promise<Response> {
  const thrown = await authentication.catch((error: unknown) => error);
  if (thrown instanceof Response) return thrown;
  throw thrown instanceof Error ? thrown : new TypeError('remix-auth began no sign-in');
}

function shorten(returnTo: string, pathname: string): string {
  if (returnTo.length <= MAX_RETURN_TO) return returnTo;
  return pathname.length <= MAX_RETURN_TO ? pathname : '/';
}

/** `GET /logout` with `logout_uri` (AWS, "Logout endpoint"): the address has to be registered, exactly. */
function logoutUrl({ appOrigin, userPool }: Pick<Env, 'appOrigin' | 'userPool'>): string {
  const url = new URL('/logout', userPool.domain);
  url.search = new URLSearchParams({
    client_id: userPool.clientId,
    logout_uri: `${appOrigin}/`,
  }).toString();
  return url.href;
}
