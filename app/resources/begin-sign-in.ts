import type { LoaderFunctionArgs } from '@remix-run/node';
import { isPrefetch } from '../server/http/document-request.ts';
import { methodNotAllowed, redirectTo, rejectPrefetch } from '../server/http/redirects.ts';
import { parseReturnTo } from '../server/sign-in/return-to.ts';
import { readAuthorizationRequest, type SignInPage } from '../server/user-pool/hosted-login.ts';

/** Redirects to a page of the hosted login, or to `returnTo` when the visitor is signed in already. */
export async function beginSignIn(
  page: SignInPage,
  { request, context }: LoaderFunctionArgs,
): Promise<Response> {
  if (request.method !== 'GET') return methodNotAllowed('GET');
  if (isPrefetch(request.headers)) return rejectPrefetch();
  const { env, authenticator, signInAttempts, cookies, session } = context;
  const returnTo = parseReturnTo(new URL(request.url).searchParams.get('returnTo'), env.appOrigin);
  if (session.state === 'signed-in') return redirectTo(returnTo);

  // The library takes a request with a `state` for the response, so it gets no other parameter of the visitor.
  const url = `${env.appOrigin}/auth/${page}?${new URLSearchParams({ returnTo })}`;
  const authentication = authenticator.authenticate(page, new Request(url, { headers: request.headers }));
  const { location, state, codeVerifier } = await readAuthorizationRequest(authentication);
  await signInAttempts.add(request, cookies, { state, codeVerifier, returnTo });
  return redirectTo(location);
}
