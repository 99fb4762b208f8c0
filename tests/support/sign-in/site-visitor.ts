/** A visitor of the running site who keeps its cookies. */
import type { Agent } from 'node:http';
import type { LocalCloud } from '@tenfold/local-cloud';
import { type RawRequest, type RawResponse, sendRaw } from '../http/raw-request.ts';
import { type CookieStore, createCookieStore } from './cookie-store.ts';
import { type Credentials, createHostedLoginVisitor, PASSWORD } from './hosted-login.ts';

export type SiteResponse = RawResponse;

export type SiteVisitor = {
  cookies: CookieStore;
  /**
   * Sends a request as a page of the site does, and applies the cookies of the response. Rejects when the response
   * contains a secret.
   */
  request(path: string, options?: Omit<RawRequest, 'path'>): Promise<SiteResponse>;
  /** Creates an account at the hosted login and returns to the site signed in. */
  signUp(cloud: LocalCloud, credentials: Credentials): Promise<void>;
  /** Whether the site considers the visitor signed in. It finds out with a cheap request. */
  isSignedIn(headers?: Record<string, string>): Promise<boolean>;
  /** Returns a visitor with a copy of the cookies. */
  copy(): SiteVisitor;
};

/** Creates a visitor of the site at `origin` who uses the connections of `agent`. */
export function createSiteVisitor(origin: string, agent: Agent, cookies = createCookieStore()): SiteVisitor {
  const visitor: SiteVisitor = {
    cookies,
    async request(path, { headers = {}, ...options } = {}) {
      const cookie = cookies.header();
      const sent = { 'sec-fetch-site': 'same-origin', ...(cookie ? { cookie } : {}), ...headers };
      const response = await sendRaw(origin, { ...options, path, headers: sent }, agent);
      cookies.receive({ lines: () => response.headers['set-cookie'] ?? [] });
      return response;
    },
    async signUp(cloud, credentials) {
      const signIn = await visitor.request('/auth/sign-in');
      const hostedLogin = createHostedLoginVisitor(cloud);
      const callback = await hostedLogin.signUp(signIn.headers.location ?? '', credentials);
      const { status } = await visitor.request(callback.pathname + callback.search);
      if (status !== 302 || ![...cookies.cookies.keys()].some((name) => /^(?:__Host-)?session$/.test(name)))
        throw new Error(`The sign-up failed: ${status}, ${[...cookies.cookies.keys()].join(' ')}`);
    },
    async isSignedIn(headers = {}) {
      // The site redirects signed-in visitors back at once, and all others to the hosted login.
      const { status, headers: received } = await visitor.request('/auth/sign-in', { headers });
      if (status !== 302) throw new Error(`/auth/sign-in responded with ${status}`);
      return received.location === '/';
    },
    copy: () => createSiteVisitor(origin, agent, cookies.copy()),
  };
  return visitor;
}

/** Creates an account at the hosted login and returns its signed-in visitor. */
export async function signUpVisitor(
  { site, cloud }: { site: { origin: string }; cloud: LocalCloud },
  agent: Agent,
  email: string,
): Promise<SiteVisitor> {
  const visitor = createSiteVisitor(site.origin, agent);
  await visitor.signUp(cloud, { email, password: PASSWORD });
  return visitor;
}
