/** Fills in the hosted login's forms over HTTP, as a browser without JavaScript does. */

import type { LocalCloud } from '@tenfold/local-cloud';
import { parseSetCookie, stringifyCookie } from 'cookie';

export type Credentials = { email: string; password: string };

/** The password of every account in the tests. It satisfies the default policy of Cognito. */
export const PASSWORD = 'Correct-Horse-7';

/** A page of the hosted login, or a redirect to another origin with the status 0. */
export type HostedLoginStep = { url: URL; status: number; html: string };

export type HostedLoginVisitor = {
  /** Opens a URL and follows redirects within the hosted login. */
  open(url: string | URL): Promise<HostedLoginStep>;
  /** Submits the form of a page with these fields and follows redirects within the hosted login. */
  submit(page: HostedLoginStep, fields: Record<string, string>): Promise<HostedLoginStep>;
  /** Creates an account and confirms it with the emailed code. Returns the URL of the site's callback. */
  signUp(authorizeUrl: string | URL, credentials: Credentials): Promise<URL>;
  /** Signs in with an existing account. Returns the URL of the site's callback. */
  signIn(authorizeUrl: string | URL, credentials: Credentials): Promise<URL>;
};

/** Creates a visitor with their own cookies. `headers` are sent with every request. */
export function createHostedLoginVisitor(
  cloud: LocalCloud,
  headers: Record<string, string> = {},
): HostedLoginVisitor {
  const cookies: Record<string, string> = {};

  async function request(url: URL, init: RequestInit = {}): Promise<HostedLoginStep> {
    if (url.origin !== cloud.origin) return { url, status: 0, html: '' };
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', ...headers, ...init.headers, cookie: stringifyCookie(cookies) },
    });
    for (const line of response.headers.getSetCookie()) {
      const { name, value = '', maxAge } = parseSetCookie(line);
      if (maxAge === 0) delete cookies[name];
      else cookies[name] = value;
    }
    const location = response.headers.get('location');
    if (location !== null) {
      await response.body?.cancel();
      return request(new URL(location, url));
    }
    return { url, status: response.status, html: await response.text() };
  }

  const open = (url: string | URL) => request(new URL(url));

  function submit(page: HostedLoginStep, fields: Record<string, string>): Promise<HostedLoginStep> {
    const { action, hidden } = readForm(page);
    return request(action, {
      method: 'POST',
      headers: { origin: cloud.origin, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ ...hidden, ...fields }),
    });
  }

  return {
    open,
    submit,
    async signUp(authorizeUrl, { email, password }) {
      const first = await open(authorizeUrl);
      const form = first.url.pathname === '/signup' ? first : await open(findLink(first, '/signup'));
      const confirm = await submit(form, { email, password });
      const code = emailedCode(cloud, email.toLowerCase());
      return callbackOf(await submit(confirm, { code }));
    },
    async signIn(authorizeUrl, { email, password }) {
      return callbackOf(await submit(await open(authorizeUrl), { email, password }));
    },
  };
}

function callbackOf({ url, status, html }: HostedLoginStep): URL {
  if (status === 0) return url;
  const message = readErrorMessage(html);
  throw new Error(`The hosted login did not redirect to the site: ${status} ${url.pathname} ${message}`);
}

/** Returns the newest code that was emailed to an address. Throws when there is none. */
export function emailedCode(cloud: LocalCloud, address: string): string {
  const email = cloud.emails.find(({ to, code }) => to === address && code);
  if (!email?.code) throw new Error(`No code was emailed to ${address}`);
  return email.code;
}

/** Returns the URL of the first link to `path` on a page. */
export function findLink({ url, html }: HostedLoginStep, path: string): URL {
  const hrefs = [...html.matchAll(/<a href="([^"]+)"/g)].map(
    ([, href = '']) => new URL(unescapeHtml(href), url),
  );
  const found = hrefs.find(({ pathname }) => pathname === path);
  if (!found) throw new Error(`There is no link to ${path} on ${url.pathname}`);
  return found;
}

/** Returns the error message on a page, or an empty string. */
export function readErrorMessage(html: string): string {
  return unescapeHtml(/class="(?:message error|field-error)"[^>]*>([^<]*)/.exec(html)?.[1] ?? '');
}

function readForm({ url, html }: HostedLoginStep): { action: URL; hidden: Record<string, string> } {
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1];
  if (action === undefined) throw new Error(`There is no form on ${url.pathname}`);
  const inputs = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return {
    action: new URL(unescapeHtml(action), url),
    hidden: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, unescapeHtml(value)])),
  };
}

function unescapeHtml(text: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };
  return text.replace(/&(amp|lt|gt|quot|#x27);/g, (whole, name: string) => entities[name] ?? whole);
}
