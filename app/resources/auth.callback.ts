import type { LoaderFunctionArgs } from '@remix-run/node';
import {
  isPrefetch,
  methodNotAllowed,
  prefetchRefused,
  sendOnFromPage,
  sendTo,
} from '../server/http/redirects.ts';
import { signInNotice } from '../server/sign-in/sign-in-notice.ts';

/** Where the hosted login sends the visitor back to. However that went, the visitor goes on to a page that can tell. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  if (request.method !== 'GET') return methodNotAllowed('GET');
  if (isPrefetch(request)) return prefetchRefused();
  const { env, cookies, session, signIn, log } = context;
  const { returnTo, error } = await signIn.finish(request, cookies, session);
  if (error) {
    log.warn({ err: error }, 'sign-in failed');
    signInNotice.set(cookies, error.code, env.session.secure);
  }
  return env.session.sameSite === 'strict' ? sendOnFromPage(returnTo) : sendTo(returnTo);
}

export function action() {
  return methodNotAllowed('GET');
}
