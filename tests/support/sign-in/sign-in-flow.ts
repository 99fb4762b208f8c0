/** The complete sign-in: the site's routes, the hosted login of a local cloud, and the cookies of the browser. */

import type { ClientKind, LocalCloud } from '@tenfold/local-cloud';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Clock } from '../../../packages/upstream/src/clock.ts';
import { startLocalCloud } from '../local-cloud.ts';
import { registerSecret } from '../secrets/secret-detection.ts';
import { type AuthResponse, type AuthRoutes, createAuthRoutes } from './auth-routes.ts';
import { type CookieStore, createCookieStore } from './cookie-store.ts';
import { createHostedLoginVisitor, type HostedLoginVisitor, PASSWORD } from './hosted-login.ts';
import { APP_ORIGIN, siteEnv } from './signed-in-session.ts';

export const ada = { email: 'ada@example.com', password: PASSWORD };

export type SignInFlow = AuthRoutes & {
  /** Starts a sign-in and returns the URL of the hosted login. */
  begin(browser: CookieStore, returnTo?: string): Promise<URL>;
  /** Signs Ada in at the hosted login and returns the URL of the callback. */
  login(authorize: URL, visitor?: HostedLoginVisitor): Promise<URL>;
  /** Signs Ada in and returns the response to the callback. */
  signIn(browser: CookieStore, returnTo?: string): Promise<AuthResponse>;
  /** Returns the session state of the browser and leaves its cookies unchanged. */
  stateOf(browser: CookieStore): Promise<AuthResponse['context']['session']['state']>;
};

export type SiteOptions = { client?: ClientKind; environment?: Record<string, string>; clock?: Clock };

/** Creates one process of the site with its own configuration. */
export function createSignInFlow(
  cloud: LocalCloud,
  { client = 'rotating', environment = {}, clock }: SiteOptions = {},
): SignInFlow {
  const described = { COGNITO_CLIENT_SECRET: '', ...cloud.environment({ client, appOrigin: APP_ORIGIN }) };
  const routes = createAuthRoutes(siteEnv(cloud, { ...described, ...environment }), clock);

  const flow: SignInFlow = {
    ...routes,
    async begin(browser, returnTo = '/') {
      const query = new URLSearchParams({ returnTo });
      const { location } = await routes.visit(browser, `/auth/sign-in?${query}`);
      if (!location) throw new Error('The sign-in did not redirect');
      return location;
    },
    login: (authorize, visitor = createHostedLoginVisitor(cloud)) => visitor.signIn(authorize, ada),
    async signIn(browser, returnTo = '/') {
      return routes.visit(browser, await flow.login(await flow.begin(browser, returnTo)));
    },
    async stateOf(browser) {
      return (await routes.visit(browser.copy(), '/')).context.session.state;
    },
  };
  return flow;
}

/** Starts a local cloud in which Ada has an account. */
export async function startCloudWithAda(clock: Clock = Date.now): Promise<LocalCloud> {
  const cloud = await startLocalCloud({ siteOrigins: [APP_ORIGIN], clock, onSecret: registerSecret });
  await createHostedLoginVisitor(cloud).signUp(await createSignInFlow(cloud).begin(createCookieStore()), ada);
  return cloud;
}

/**
 * Starts a local cloud with Ada and one process of the site for the tests of a file, clears the faults after each test,
 * and closes the cloud at the end. The members are available once the tests run.
 */
export function setUpSignInFlow(): { readonly cloud: LocalCloud; readonly site: SignInFlow } {
  let cloud: LocalCloud;
  let site: SignInFlow;
  beforeAll(async () => {
    cloud = await startCloudWithAda();
    site = createSignInFlow(cloud);
  });
  afterEach(() => cloud.faults.set({}));
  afterAll(() => cloud.close());
  return {
    get cloud() {
      return cloud;
    },
    get site() {
      return site;
    },
  };
}

export const sessionCookiesOf = (browser: CookieStore) => cookiesOf(browser, 'session');
export const attemptCookiesOf = (browser: CookieStore) => cookiesOf(browser, 'oauth');
export const noticeOf = (browser: CookieStore) => browser.cookies.get('notice') ?? null;

function cookiesOf(browser: CookieStore, prefix: string): string[] {
  return [...browser.cookies.keys()].filter((name) => name.startsWith(prefix));
}
