import { parseSetCookie, stringifyCookie } from 'cookie';
import type { LocalCloud } from '../../../local-cloud/start.ts';

export type Credentials = { email: string; password: string };

/** A page that a visitor sees, or where they were sent on to another origin. */
export type HostedLoginStep = { url: URL; status: number; html: string };

export type HostedLoginVisitor = {
  /**
   * Opens an address and follows redirects for as long as they stay at the hosted login. What it answers is a page
   * there, or the address elsewhere that the browser would open next, with status 0.
   */
  open(url: string | URL): Promise<HostedLoginStep>;
  /** Sends the form of a page with these fields filled in, and follows where it leads. */
  submit(page: HostedLoginStep, fields: Record<string, string>): Promise<HostedLoginStep>;
  /** From a site's authorization request to its callback, by creating an account with the code that is mailed. */
  signUp(authorizeUrl: string | URL, credentials: Credentials): Promise<URL>;
  /** From a site's authorization request to its callback, with an account that is there. */
  signIn(authorizeUrl: string | URL, credentials: Credentials): Promise<URL>;
};

/** A visitor of the hosted login with a cookie jar of their own, who fills in its forms as a browser without scripts does. */
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
      const login = await open(authorizeUrl);
      const confirm = await submit(await open(findLink(login, '/signup')), { email, password });
      const code = cloud.emails.find((mail) => mail.to === email.toLowerCase())?.code ?? '';
      return leave(await submit(confirm, { code }));
    },
    async signIn(authorizeUrl, { email, password }) {
      return leave(await submit(await open(authorizeUrl), { email, password }));
    },
  };

  function leave({ url, status, html }: HostedLoginStep): URL {
    if (status === 0) return url;
    throw new Error(`The hosted login did not let go: ${status} ${url.pathname} ${readErrorMessage(html)}`);
  }
}

/** The address of the first link on a page that leads to `path`. */
export function findLink({ url, html }: HostedLoginStep, path: string): URL {
  const hrefs = [...html.matchAll(/<a href="([^"]+)"/g)].map(
    ([, href = '']) => new URL(unescapeHtml(href), url),
  );
  const found = hrefs.find(({ pathname }) => pathname === path);
  if (!found) throw new Error(`There is no link to ${path} on ${url.pathname}.`);
  return found;
}

/** What a page says is wrong, or an empty text. */
export function readErrorMessage(html: string): string {
  return unescapeHtml(/class="(?:message error|field-error)"[^>]*>([^<]*)/.exec(html)?.[1] ?? '');
}

function readForm({ url, html }: HostedLoginStep): { action: URL; hidden: Record<string, string> } {
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1];
  if (action === undefined) throw new Error(`There is no form on ${url.pathname}.`);
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
