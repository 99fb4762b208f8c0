/** Every address of the site that redirects, with a return address that the visitor can choose. */
import type { Agent } from 'node:http';
import { locales } from '../../../app/i18n/locales.ts';
import { redirectOf } from '../advisories/single-fetch.ts';
import { encodeTarget, type RawResponse, sendRaw } from '../http/raw-request.ts';
import { formSubmission } from '../http/site-requests.ts';
import type { Stack } from '../processes/stack.ts';
import type { HostedLoginVisitor } from '../sign-in/hosted-login.ts';
import { createSiteVisitor, type SiteVisitor } from '../sign-in/site-visitor.ts';
import { hasPage, other, otherHome } from '../this-site.ts';

export type RedirectRoute = {
  name: string;
  /** Sends the address and returns where the response leads; null if it does not redirect. */
  send(address: string): Promise<string | null>;
  /** Whether the hosted login is a right target. */
  mayLeadToLogin?: boolean;
  /** Whether the address itself decides the path, so that it may be below `/auth`. */
  isOwnPath?: boolean;
};

export type RedirectVisitors = {
  stack: Stack;
  agent: Agent;
  signedIn: SiteVisitor;
  /** A visitor whom the hosted login redirects back at once. */
  login: HostedLoginVisitor;
};

/** Returns the target of a redirect, from the head or, for Remix's client, from the body. */
function targetOf({ status, headers, body }: RawResponse): string | null {
  if (headers.location !== undefined) return headers.location;
  const isData = headers['content-type']?.startsWith('text/x-script') ?? false;
  return isData && status < 300 ? redirectOf(body) : null;
}

const asQuery = (address: string) => new URLSearchParams({ returnTo: address });

export function redirectRoutes(visitors: RedirectVisitors): RedirectRoute[] {
  return [
    ...returnRoutes(visitors),
    ...preferenceRoutes(visitors),
    ...callbackRoutes(visitors),
    ...addressRoutes(visitors),
  ];
}

/** Addresses that a signed-in or signed-out visitor does not need. */
function returnRoutes({ stack, agent, signedIn }: RedirectVisitors): RedirectRoute[] {
  const anonymous = createSiteVisitor(stack.site.origin, agent);
  const signIns = ['/auth/sign-in', '/auth/sign-up', '/auth/sign-in.data', '/auth/sign-up.data'];
  const signOuts = ['/auth/sign-out', '/auth/sign-out.data'];
  return [
    ...signIns.map((path) => ({
      name: `${path} while signed in`,
      send: async (address: string) => targetOf(await signedIn.request(`${path}?${asQuery(address)}`)),
    })),
    ...signOuts.map((path) => ({
      name: `${path} while signed out`,
      send: async (address: string) =>
        targetOf(await anonymous.request(path, formSubmission({ returnTo: address }))),
    })),
  ];
}

/** Every choice, as a document and for Remix's client. */
function preferenceRoutes({ stack, agent }: RedirectVisitors): RedirectRoute[] {
  const visitor = createSiteVisitor(stack.site.origin, agent);
  const choices: Record<string, string>[] = [
    ...locales.map(({ code }) => ({ locale: code })),
    { theme: 'dark' },
    { languageOffer: 'dismissed' },
    { locale: 'en', theme: 'light', languageOffer: 'dismissed' },
  ];
  const send = (path: string, choice: Record<string, string>): RedirectRoute => ({
    name: `${path} with ${JSON.stringify(choice)}`,
    send: async (address) =>
      targetOf(await visitor.request(path, formSubmission({ ...choice, returnTo: address }))),
  });
  // Without a language, Remix's client stays on its page.
  return choices.flatMap((choice) => [
    send('/preferences', choice),
    ...('locale' in choice ? [send('/preferences.data', choice)] : []),
  ]);
}

function callbackRoutes({ stack, agent, login }: RedirectVisitors): RedirectRoute[] {
  const begin = async (address: string) => {
    const visitor = createSiteVisitor(stack.site.origin, agent);
    const { headers } = await visitor.request(`/auth/sign-in?${asQuery(address)}`);
    return { visitor, target: headers.location ?? '' };
  };
  return [
    {
      name: '/auth/sign-in while signed out',
      mayLeadToLogin: true,
      send: async (address) => (await begin(address)).target,
    },
    {
      name: '/auth/callback with an error',
      async send(address) {
        const { visitor, target } = await begin(address);
        const state = new URL(target).searchParams.get('state') ?? '';
        return targetOf(await visitor.request(`/auth/callback?error=access_denied&state=${state}`));
      },
    },
    {
      name: '/auth/callback with a code',
      async send(address) {
        const { visitor, target } = await begin(address);
        const { url } = await login.open(target);
        return targetOf(await visitor.request(url.pathname + url.search));
      },
    },
  ];
}

/** The addresses of pages, which the visitor's language, a trailing slash or a form can change. */
function addressRoutes({ stack, agent, signedIn }: RedirectVisitors): RedirectRoute[] {
  const headers = {
    'accept-language': other.code,
    'sec-fetch-dest': 'document',
    'sec-fetch-site': 'cross-site',
  };
  const open = (name: string, pathOf: (address: string) => string) => ({
    name,
    mayLeadToLogin: true,
    isOwnPath: true,
    send: async (address: string) =>
      targetOf(await sendRaw(stack.site.origin, { path: encodeTarget(pathOf(address)), headers }, agent)),
  });
  return [
    open('a trailing slash', (address) => `${address.startsWith('/') ? '' : '/'}${address}/`),
    open('a trailing slash in a locale', (address) => `${otherHome}/${address}/`),
    open('a trailing slash before a query', (address) => `${otherHome}/?${address}`),
    open('the language of a first visit', (address) => `/?${address}`),
    open('the data of a page', (address) => `${address.startsWith('/') ? '' : '/'}${address}.data`),
    ...(hasPage('test-message') ? [postedMessage(signedIn)] : []),
  ];
}

function postedMessage(signedIn: SiteVisitor): RedirectRoute {
  return {
    name: 'a posted message',
    async send(address) {
      const form = formSubmission({ content: 'x', returnTo: address }, { accept: 'text/html' });
      const query = encodeTarget(new URLSearchParams({ returnTo: address, after: address }).toString());
      return targetOf(await signedIn.request(`/test-message?${query}`, form));
    },
  };
}
