import type { LoaderFunctionArgs } from '@remix-run/node';
import { isPrefetch, parseReturnTo, type SignInPage } from '@tenfold/cognito-session';
import { methodNotAllowed, redirectTo, rejectPrefetch } from '../server/errors/redirects.ts';

/** Throws the redirect to a page of the hosted login. Returns one to `returnTo` if the visitor is signed in already. */
export async function beginSignIn(
  page: SignInPage,
  { request, context }: LoaderFunctionArgs,
): Promise<Response> {
  if (request.method !== 'GET') return methodNotAllowed('GET');
  if (isPrefetch(request.headers)) return rejectPrefetch();
  const { env, authenticator, session } = context;
  if (session.state !== 'signed-in') await authenticator.authenticate(page, request);
  return redirectTo(parseReturnTo(new URL(request.url).searchParams.get('returnTo'), env.appOrigin));
}
