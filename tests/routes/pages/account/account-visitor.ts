/** The forms of the account page, as a browser without scripts sends them, and the fresh sign-in that they need. */
import type { LocalCloud } from '@tenfold/local-cloud';
import { formSubmission } from '../../../support/http/site-requests.ts';
import { createHostedLoginVisitor, PASSWORD } from '../../../support/sign-in/hosted-login.ts';
import type { SiteResponse, SiteVisitor } from '../../../support/sign-in/site-visitor.ts';

const BROWSER = {
  accept: 'text/html',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

/** Sends a form of the page. */
export function send(
  visitor: SiteVisitor,
  fields: Record<string, string>,
  { path = '/account', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<SiteResponse> {
  return visitor.request(path, formSubmission(fields, { ...BROWSER, ...headers }));
}

/** Opens the page, or another one. */
export async function open(visitor: SiteVisitor, path = '/account'): Promise<SiteResponse> {
  return visitor.request(path, { headers: BROWSER });
}

/** Sends a form without a grant, and returns the address of the fresh sign-in to which it leads. */
export async function begin(
  visitor: SiteVisitor,
  cloud: LocalCloud,
  fields: Record<string, string>,
  path = '/account',
): Promise<URL> {
  const { status, headers } = await send(visitor, fields, { path });
  const location = new URL(headers.location ?? '/', 'http://site.invalid');
  if (status !== 303 || location.origin !== cloud.origin) {
    throw new Error(`The form did not lead to the hosted login: ${status} ${location}`);
  }
  return location;
}

/** Signs in again for the action of a form. Returns where the callback leads. */
export async function confirm(
  visitor: SiteVisitor,
  cloud: LocalCloud,
  { email, fields, path = '/account' }: { email: string; fields: Record<string, string>; path?: string },
): Promise<string | undefined> {
  const authorize = await begin(visitor, cloud, fields, path);
  const login = createHostedLoginVisitor(cloud);
  const callback = await login.signIn(authorize, { email, password: PASSWORD });
  const { headers } = await visitor.request(callback.pathname + callback.search, { headers: BROWSER });
  return headers.location;
}
