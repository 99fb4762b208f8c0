import type { AppLoadContext, LoaderFunctionArgs } from '@remix-run/node';
import { isPrefetch, readValidCookie, SignInError, type SignInErrorCode } from '@tenfold/cognito-session';
import { leaveOutcome } from '../forms/form-action.server.ts';
import { defaultLocale, LOCALE_COOKIE, localizePath, parseLocale } from '../i18n/locales.ts';
import { type ExplainedRejection, rejectionResponse } from '../server/errors/error-response.ts';
import { methodNotAllowed, redirectByPage, redirectTo, rejectPrefetch } from '../server/errors/redirects.ts';
import { signInNotice } from '../server/preferences/sign-in-notice.ts';

const cookiesNeeded: ExplainedRejection = {
  status: 400,
  code: 'CookiesNeeded',
  explanation: 'signInError.no-cookies',
};

/** The path to redirect to after the callback, why the sign-in failed if it did, and the action that a fresh sign-in was for. */
type SignInOutcome = { returnTo: string; error: SignInErrorCode | null; action: string | null };

/** The redirect URI of the sign-in. Redirects the visitor to a page that shows whether the sign-in succeeded. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  if (request.method !== 'GET') return methodNotAllowed('GET');
  if (isPrefetch(request.headers)) return rejectPrefetch();
  const { env, cookies } = context;
  const { returnTo, error, action } = await finishSignIn(request, context);
  if (error) {
    // A browser that keeps no cookies would lose the notice, and the visitor would not learn that the sign-in failed.
    if (request.headers.get('cookie') === null) return rejectionResponse(cookiesNeeded, request, context);
    // The page of the action shows it beside its form.
    if (action !== null) leaveOutcome({ action, code: error }, context);
    else signInNotice.set(cookies, { code: error }, env.session.secure);
  }
  return env.session.sameSite === 'strict' ? redirectByPage(returnTo, env) : redirectTo(returnTo);
}

export function action() {
  return methodNotAllowed('GET');
}

/**
 * Finishes the sign-in and starts the session. A callback that belongs to no attempt leads to the home page in the
 * visitor's language. When a signed-in visitor reloads the callback, that is no error.
 */
async function finishSignIn(request: Request, context: AppLoadContext): Promise<SignInOutcome> {
  try {
    // Either page of the hosted login may have been used: its response is the same.
    const signIn = await context.authenticator.authenticate('sign-in', request);
    await context.auth.start(request, context, signIn);
    return { returnTo: signIn.returnTo, error: null, action: null };
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    const { code, returnTo, action } = error;
    if (returnTo !== null) return { returnTo, error: code, action };
    const locale = readValidCookie(request, LOCALE_COOKIE, parseLocale) ?? defaultLocale;
    return {
      returnTo: localizePath('/', locale),
      error: context.session.state === 'signed-in' ? null : code,
      action: null,
    };
  }
}
