import { type AppLoadContext, redirectDocument } from '@remix-run/node';
import type { SignedIn } from '@tenfold/cognito-session';
import { errorResponse } from '../errors/error-response.ts';

/** Amplify's code and message for a session that is not there. */
const NO_SESSION = {
  status: 401,
  code: 'NoSessionFoundException',
  message: 'Auth session was not found. Make sure to call signIn.',
};

/**
 * Returns the session of a signed-in visitor, for loaders and actions that need one. Throws the response for any other
 * visitor: the redirect to the sign-in and back for a document, 401 with a code for a request of client-side code.
 */
export function requireSession({
  session,
  isDataRequest,
  target,
  requestId,
  log,
}: Pick<AppLoadContext, 'session' | 'isDataRequest' | 'target' | 'requestId' | 'log'>): SignedIn {
  if (session.state === 'signed-in') return session;
  if (!isDataRequest) throw redirectToSignIn(target);
  const { status, code } = NO_SESSION;
  log.info({ requestId, status, code }, 'request without a session rejected');
  throw errorResponse(NO_SESSION, requestId);
}

/** `returnTo` is the path and query of a page. Only a document request can be redirected to another site. */
export function redirectToSignIn(returnTo: string): Response {
  return redirectDocument(`/auth/sign-in?${new URLSearchParams({ returnTo })}`);
}
