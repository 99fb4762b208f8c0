import type { LoaderFunctionArgs } from '@remix-run/node';
import { isPrefetch } from '../server/http/document-request.ts';
import { methodNotAllowed, redirectTo, rejectPrefetch } from '../server/http/redirects.ts';
import { parseReturnTo } from '../server/sign-in/return-to.ts';

/** Redirects to a page of the hosted login, or to `returnTo` when the visitor is signed in already. */
export async function beginSignIn(
  page: 'sign-in' | 'sign-up',
  { request, context }: LoaderFunctionArgs,
): Promise<Response> {
  if (request.method !== 'GET') return methodNotAllowed('GET');
  if (isPrefetch(request.headers)) return rejectPrefetch();
  const { searchParams } = new URL(request.url);
  const returnTo = parseReturnTo(searchParams.get('returnTo'), context.env.appOrigin);
  if (context.session.state === 'signed-in') return redirectTo(returnTo);
  return redirectTo(await context.signIn.begin(request, context.cookies, page, returnTo));
}
