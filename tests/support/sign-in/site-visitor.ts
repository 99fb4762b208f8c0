/** Somebody who visits the running site over real HTTP, on connections that are kept, and keeps its cookies. */
import { type Agent, request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { createResponseCookies } from '../../../app/server/cookies/cookie-jar.ts';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { assertNoSecret } from '../secrets/secret-detection.ts';
import { type CookieStore, createCookieStore } from './cookie-store.ts';
import { type Credentials, createHostedLoginVisitor } from './hosted-login.ts';

export type SiteResponse = { status: number; headers: IncomingHttpHeaders; body: string };

export type SiteVisitor = {
  cookies: CookieStore;
  /**
   * Sends a request as a page of the site would, and takes in the cookies that come back. Rejects when the answer gives
   * a secret away.
   */
  request(
    path: string,
    options?: { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<SiteResponse>;
  /** Creates an account at the hosted login and comes back signed in. */
  signUp(cloud: LocalCloud, credentials: Credentials): Promise<void>;
  /** Whether the site takes the visitor for someone who is signed in. Costs the site next to nothing. */
  isSignedIn(headers?: Record<string, string>): Promise<boolean>;
  /** Somebody with the same cookies, who takes in what comes back for themselves. */
  copy(): SiteVisitor;
};

/** A visitor of the site at `origin`, over the connections of `agent`. */
export function createSiteVisitor(origin: string, agent: Agent, cookies = createCookieStore()): SiteVisitor {
  const visitor: SiteVisitor = {
    cookies,
    async request(path, { method = 'GET', headers = {}, body } = {}) {
      const cookie = [...cookies.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const sent = { 'sec-fetch-site': 'same-origin', ...(cookie ? { cookie } : {}), ...headers };
      const answer = await send(origin, path, { agent, method, headers: sent }, body);
      assertNoSecret(path, answer);
      receive(cookies, answer.headers['set-cookie'] ?? []);
      return answer;
    },
    async signUp(cloud, credentials) {
      const begun = await visitor.request('/auth/sign-in');
      const callback = await createHostedLoginVisitor(cloud).signUp(
        begun.headers.location ?? '',
        credentials,
      );
      const { status } = await visitor.request(callback.pathname + callback.search);
      if (status !== 302 || !cookies.cookies.has('__Host-session'))
        throw new Error(`The sign-up came to nothing: ${status}, ${[...cookies.cookies.keys()].join(' ')}`);
    },
    async isSignedIn(headers = {}) {
      // Who is signed in is sent straight back; anybody else is sent to the hosted login.
      const { status, headers: received } = await visitor.request('/auth/sign-in', { headers });
      if (status !== 302) throw new Error(`/auth/sign-in answered ${status}`);
      return received.location === '/';
    },
    copy: () => createSiteVisitor(origin, agent, cookies.copy()),
  };
  return visitor;
}

function receive(cookies: CookieStore, lines: readonly string[]): void {
  cookies.receive({ ...createResponseCookies(), lines: () => [...lines] });
}

/** The path goes as it is: a URL would leave out a question mark behind which there is nothing. */
function send(origin: string, path: string, options: RequestOptions, body?: string): Promise<SiteResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(origin, { ...options, path }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
