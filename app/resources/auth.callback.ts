import type { LoaderFunctionArgs } from '@remix-run/node';
import { isPrefetch } from '../server/http/document-request.ts';
import { methodNotAllowed, redirectByPage, redirectTo, rejectPrefetch } from '../server/http/redirects.ts';
import { signInNotice } from '../server/sign-in/sign-in-notice.ts';

/** The redirect URI of the sign-in. Redirects the visitor to a page that shows whether the sign-in succeeded. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  if (request.method !== 'GET') return methodNotAllowed('GET');
  if (isPrefetch(request.headers)) return rejectPrefetch();
  const { env, cookies, session, signIn, log } = context;
  const { returnTo, error } = await signIn.finish(request, cookies, session);
  if (error) {
    if (error.fix === null) log.warn({ err: error }, 'sign-in failed');
    else log.error({ err: error, fix: error.fix }, 'configuration error');
    signInNotice.set(cookies, error.code, env.session.secure);
  }
  return env.session.sameSite === 'strict' ? redirectByPage(returnTo, env) : redirectTo(returnTo);
}

export function action() {
  return methodNotAllowed('GET');
}
