import { type AppLoadContext, redirectDocument } from '@remix-run/node';
import type { SignedIn } from '../session/session.ts';

/**
 * Returns the session of a signed-in visitor, for loaders and actions that need one. Throws the response for any other
 * visitor: the redirect to the sign-in and back for a document, 401 for a request of client-side code.
 */
export function requireSession({
  session,
  isDataRequest,
  target,
}: Pick<AppLoadContext, 'session' | 'isDataRequest' | 'target'>): SignedIn {
  if (session.state === 'signed-in') return session;
  throw isDataRequest
    ? new Response(null, { status: 401, statusText: 'Unauthorized' })
    : redirectToSignIn(target);
}

/** `returnTo` is the path and query of a page. Only a document request can be redirected to another site. */
export function redirectToSignIn(returnTo: string): Response {
  return redirectDocument(`/auth/sign-in?${new URLSearchParams({ returnTo })}`);
}
