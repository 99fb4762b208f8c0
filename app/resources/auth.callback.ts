import type { AppLoadContext, LoaderFunctionArgs } from '@remix-run/node';
import { defaultLocale, LOCALE_COOKIE, localizePath, parseLocale } from '../i18n/locales.ts';
import { readCookies } from '../server/cookies/cookie-jar.ts';
import { isPrefetch } from '../server/http/document-request.ts';
import { rejectionResponse } from '../server/http/error-response.ts';
import { methodNotAllowed, redirectByPage, redirectTo, rejectPrefetch } from '../server/http/redirects.ts';
import type { Rejection } from '../server/http/rejection.ts';
import { toSignInError } from '../server/sign-in/sign-in-failure.ts';
import { signInNotice } from '../server/sign-in/sign-in-notice.ts';
import { createCallbackRequest, parseAuthorizationResponse } from '../server/user-pool/hosted-login.ts';
import { SignInError, type SignInErrorCode } from '../server/user-pool/sign-in-error.ts';

const cookiesNeeded: Rejection = {
  status: 400,
  code: 'CookiesNeeded',
  explanation: 'signInError.no-cookies',
};

/** The path to redirect to after the callback, and why the sign-in failed if it did. */
type SignInOutcome = { returnTo: string; error: SignInError | null };

/** The redirect URI of the sign-in. Redirects the visitor to a page that shows whether the sign-in succeeded. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  if (request.method !== 'GET') return methodNotAllowed('GET');
  if (isPrefetch(request.headers)) return rejectPrefetch();
  const { env, cookies, log } = context;
  const { returnTo, error } = await finishSignIn(request, context);
  if (error) {
    if (error.fix === null) log.warn({ err: error }, 'sign-in failed');
    else log.error({ err: error, fix: error.fix }, 'configuration error');
    // A browser that keeps no cookies would lose the notice, and the visitor would not learn that the sign-in failed.
    if (request.headers.get('cookie') === null) return rejectionResponse(cookiesNeeded, request, context);
    signInNotice.set(cookies, error.code, env.session.secure);
  }
  return env.session.sameSite === 'strict' ? redirectByPage(returnTo, env) : redirectTo(returnTo);
}

export function action() {
  return methodNotAllowed('GET');
}

/** Checks the hosted login's response and starts the session. Never rejects. */
async function finishSignIn(request: Request, context: AppLoadContext): Promise<SignInOutcome> {
  const { env, authenticator, signInAttempts, cookies, session, sessions } = context;
  const response = parseAuthorizationResponse(new URL(request.url).searchParams, env.userPool.issuer);
  if (!response) return withoutAttempt(request, context, 'invalid-callback');
  const attempt = await signInAttempts.find(request, response.state);
  if (!attempt) return withoutAttempt(request, context, 'expired');
  // An attempt accepts one response. Attempts in other tabs stay valid.
  signInAttempts.remove(cookies, attempt);
  const { returnTo } = attempt;
  try {
    // Either page of the hosted login may have been used: its response is the same.
    const result = await authenticator.authenticate('sign-in', createCallbackRequest(env, response, attempt));
    await sessions.start(request, cookies, session, result);
    return { returnTo, error: null };
  } catch (error) {
    return { returnTo, error: toSignInError(error, signInAttempts.ageOf(attempt)) };
  }
}

/**
 * The outcome of a callback that belongs to no attempt: the home page in the visitor's language. When a signed-in visitor
 * reloads the callback, that is no error.
 */
function withoutAttempt(request: Request, { session }: AppLoadContext, code: SignInErrorCode): SignInOutcome {
  const locale = parseLocale(readCookies(request).get(LOCALE_COOKIE)) ?? defaultLocale;
  const error = new SignInError(code, 'the callback belongs to no sign-in attempt of this browser');
  return { returnTo: localizePath('/', locale), error: session.state === 'signed-in' ? null : error };
}
