/** The return of a browser from the hosted login, without the routes. */
import type { Env } from '../../../app/server/config/env.ts';
import { createResponseCookies } from '../../../packages/cognito-session/src/cookies/cookie-jar.ts';
import { SignInAttempts } from '../../../packages/cognito-session/src/sign-in/sign-in-attempt.ts';
import { createCookieStore } from './cookie-store.ts';

/** Returns a request for the callback from a browser that has begun an attempt with this `state` and verifier. */
export async function createCallbackRequest(
  env: Pick<Env, 'appOrigin' | 'session'>,
  attempt: { state: string; codeVerifier: string; returnTo?: string },
  response: Record<string, string>,
): Promise<Request> {
  const [browser, jar] = [createCookieStore(), createResponseCookies()];
  const attempts = new SignInAttempts({ env, clock: Date.now });
  await attempts.add(browser.request(), jar, { returnTo: '/', ...attempt });
  browser.receive(jar);
  const address = `${env.appOrigin}/auth/callback?${new URLSearchParams(response)}`;
  return new Request(address, { headers: { cookie: browser.header() } });
}
