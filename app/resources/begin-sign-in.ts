import type { LoaderFunctionArgs } from '@remix-run/node';
import { isPrefetch, methodNotAllowed, prefetchRefused, sendTo } from '../server/http/redirects.ts';
import { parseReturnTo } from '../server/sign-in/return-to.ts';

/** Sends the visitor to a page of the hosted login; who is signed in already goes straight to `returnTo`. */
export async function beginSignIn(
  page: 'sign-in' | 'sign-up',
  { request, context }: LoaderFunctionArgs,
): Promise<Response> {
  if (request.method !== 'GET') return methodNotAllowed('GET');
  if (isPrefetch(request)) return prefetchRefused();
  const { searchParams } = new URL(request.url);
  const returnTo = parseReturnTo(searchParams.get('returnTo'), context.env.appOrigin);
  if (context.session.state === 'signed-in') return sendTo(returnTo);
  return sendTo(await context.signIn.begin(request, context.cookies, page, returnTo));
}
