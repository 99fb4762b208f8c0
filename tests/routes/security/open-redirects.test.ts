/** Every route that redirects, with open-redirect payloads: a browser must stay on the site. */
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { destinationOf, EVIL_HOST, redirectPayloads } from '../../support/fuzzing/redirect-payloads.ts';
import { sendRaw } from '../../support/http/raw-request.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import {
  createHostedLoginVisitor,
  type HostedLoginVisitor,
  PASSWORD,
} from '../../support/sign-in/hosted-login.ts';
import {
  createSiteVisitor,
  type SiteResponse,
  type SiteVisitor,
} from '../../support/sign-in/site-visitor.ts';

const agent = new Agent({ keepAlive: true });
const ada = { email: 'ada@example.com', password: PASSWORD };
let stack: Stack;
let strict: Stack;
let signedIn: SiteVisitor;

beforeAll(async () => {
  [stack, strict] = await Promise.all([
    startStack({ environment: { RATE_LIMIT_SCALE: '0' } }),
    startStack({ environment: { RATE_LIMIT_SCALE: '0', SESSION_COOKIE_SAME_SITE: 'strict' } }),
  ]);
  signedIn = createSiteVisitor(stack.site.origin, agent);
  await signedIn.signUp(stack.cloud, ada);
}, 60_000);
afterAll(async () => {
  agent.destroy();
  await Promise.all([stack.stop(), strict.stop()]);
});

const anonymous = () => createSiteVisitor(stack.site.origin, agent);
const form = (fields: Record<string, string>) => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

/** Returns the target of a redirect, from the head or, for Remix's client, from the body. */
function leadsTo({ headers, body }: SiteResponse): string {
  return headers.location ?? redirectForScript(body) ?? '';
}

/** Reads the format of single fetch: a flat list of values whose objects refer to keys and values by index. */
function redirectForScript(body: string): string | null {
  const values: unknown[] = JSON.parse(body.split('\n', 1)[0] ?? '');
  const redirect = values.flatMap((value) => {
    if (typeof value !== 'object' || value === null) return [];
    const place = Reflect.get(value, `_${values.indexOf('redirect')}`);
    return typeof place === 'number' ? [values[place]] : [];
  });
  return redirect.length === 1 ? String(redirect[0]) : null;
}

/** Sends every payload and returns those that redirect off the site. */
async function findOpenRedirects(send: (address: string) => Promise<SiteResponse>, own = stack.site.origin) {
  const away: string[] = [];
  for (const address of redirectPayloads) {
    const location = leadsTo(await send(address));
    expect(location, JSON.stringify(address)).not.toBe('');
    const { origin } = destinationOf(location, `${own}/fr/test-message`);
    if (origin !== own || /\/auth\b/.test(location)) away.push(`${JSON.stringify(address)} → ${location}`);
  }
  return away;
}

const asQuery = (address: string) => new URLSearchParams({ returnTo: address });

describe('no payload redirects off the site', () => {
  // threat-model: T-024
  it.each(['/auth/sign-in', '/auth/sign-up', '/auth/sign-in.data', '/auth/sign-up.data'])(
    'after a sign-in while already signed in: %s',
    async (path) => {
      expect(await findOpenRedirects((address) => signedIn.request(`${path}?${asQuery(address)}`))).toEqual(
        [],
      );
    },
  );

  // threat-model: T-024
  it.each(['/auth/sign-out', '/auth/sign-out.data'])(
    'after a sign-out while already signed out: %s',
    async (path) => {
      const visitor = anonymous();
      expect(
        await findOpenRedirects((address) => visitor.request(path, form({ returnTo: address }))),
      ).toEqual([]);
    },
  );

  // threat-model: T-024
  it.each([
    ['a theme', '/preferences', { theme: 'dark' }],
    ['a language', '/preferences', { locale: 'fr' }],
    ['a language, by a script', '/preferences.data', { locale: 'ar' }],
    ['both', '/preferences', { theme: 'light', locale: 'en' }],
  ])('after choosing %s', async (_name, path, choice) => {
    const visitor = anonymous();
    const send = (returnTo: string) => visitor.request(path, form({ ...choice, returnTo }));
    expect(await findOpenRedirects(send)).toEqual([]);
  });

  // threat-model: T-024
  it('after returning from the hosted login, successfully or with an error', async () => {
    const login = await signInAtHostedLogin(stack);
    const comeBack = async (address: string) => {
      const visitor = anonymous();
      const begun = await visitor.request(`/auth/sign-in?${asQuery(address)}`);
      const { url } = await login.open(begun.headers.location ?? '');
      return { visitor, url };
    };
    const away = await findOpenRedirects(async (address) => {
      const { visitor, url } = await comeBack(address);
      return visitor.request(url.pathname + url.search);
    });
    const afterError = await findOpenRedirects(async (address) => {
      const { visitor, url } = await comeBack(address);
      const query = new URLSearchParams({
        error: 'access_denied',
        state: url.searchParams.get('state') ?? '',
      });
      return visitor.request(`/auth/callback?${query}`);
    });
    expect([...away, ...afterError]).toEqual([]);
  });

  // threat-model: T-024
  it('from the intermediate page for SameSite=Strict cookies', async () => {
    const login = await signInAtHostedLogin(strict);
    const away: string[] = [];
    for (const address of redirectPayloads) {
      const visitor = createSiteVisitor(strict.site.origin, agent);
      const begun = await visitor.request(`/auth/sign-in?${asQuery(address)}`);
      const { url } = await login.open(begun.headers.location ?? '');
      const { body } = await visitor.request(url.pathname + url.search);
      const target = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(body)?.[1] ?? 'none';
      const decoded = target.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
      const { origin } = destinationOf(decoded, `${strict.site.origin}/auth/callback`);
      if (target === 'none' || origin !== strict.site.origin) away.push(`${address} → ${target}`);
    }
    expect(away).toEqual([]);
  });

  // threat-model: T-024
  it('after removing a trailing slash, or detecting the language at /', async () => {
    const paths = redirectPayloads.flatMap((address) => {
      const written = address.replace(/[^\u0021-\u007e]|#/gu, encodeURIComponent);
      return [`${written.startsWith('/') ? '' : '/'}${written}/`, `/fr/${written}/`, `/?returnTo=${written}`];
    });
    const away: string[] = [];
    let redirectCount = 0;
    for (const path of paths) {
      const headers = {
        'accept-language': 'fr',
        'sec-fetch-dest': 'document',
        'sec-fetch-site': 'cross-site',
      };
      const { status, headers: responseHeaders } = await sendRaw(stack.site.origin, { path, headers }, agent);
      expect([200, 301, 302, 400, 404], path).toContain(status);
      if (responseHeaders.location === undefined) continue;
      redirectCount += 1;
      const { origin } = destinationOf(responseHeaders.location, stack.site.origin + path);
      // A sign-in redirects to the hosted login.
      if (![stack.site.origin, stack.cloud.origin].includes(origin))
        away.push(`${path} → ${responseHeaders.location}`);
    }
    expect(redirectCount).toBeGreaterThan(redirectPayloads.length);
    expect(away).toEqual([]);
  });

  // threat-model: T-024
  it('after posting a message', async () => {
    const send = (address: string, fields: Record<string, string>) =>
      signedIn.request(`/test-message?${new URLSearchParams({ returnTo: address, after: address })}`, {
        ...form({ ...fields, returnTo: address }),
        headers: { ...form({}).headers, accept: 'text/html' },
      });
    const posted = await findOpenRedirects((address) => send(address, { content: 'x' }));
    expect(posted).toEqual([]);
  });
});

describe('an injected parameter', () => {
  const smuggled = [
    '/fr&redirect_uri=https://evil.example/',
    '/fr?redirect_uri=https://evil.example/&client_id=evil',
    '/fr#&state=evil&code_challenge=evil',
    '/fr%26redirect_uri%3Dhttps://evil.example/',
    '/fr\r\nX-Evil: 1',
    '/fr;redirect_uri=https://evil.example/',
  ];

  // threat-model: T-023
  it.each([
    ...smuggled.map((address) => asQuery(address).toString()),
    'returnTo=/fr&returnTo=//evil.example',
    'returnTo=/fr&redirect_uri=https://evil.example/&state=evil&nonce=evil&client_id=evil&lang=evil',
    'returnTo=/fr&code_challenge=evil&code_challenge_method=plain&response_type=token&scope=aws.cognito.signin.user.admin',
    'returnTo[]=//evil.example&returnTo=/fr',
  ])('never reaches the hosted login: %s', async (query) => {
    const plain = new URL((await anonymous().request('/auth/sign-in?returnTo=/fr')).headers.location ?? '');
    for (const path of ['/auth/sign-in', '/auth/sign-up']) {
      const { headers } = await anonymous().request(`${path}?${query}`);
      const { origin, searchParams } = new URL(headers.location ?? '');
      expect(origin).toBe(stack.cloud.origin);
      const names = [...searchParams.keys()].filter((name) => name !== 'lang');
      expect(names).toEqual([...plain.searchParams.keys()].filter((name) => name !== 'lang'));
      expect(searchParams.get('redirect_uri')).toBe(`${stack.site.origin}/auth/callback`);
      expect(headers.location).not.toContain('evil');
    }
  });

  // threat-model: T-025
  it('in the headers of a proxy is in no URL that the site generates', async () => {
    const poison = {
      'x-forwarded-host': EVIL_HOST,
      'x-forwarded-proto': 'javascript',
      'x-forwarded-port': '1',
      'x-forwarded-prefix': `//${EVIL_HOST}`,
      forwarded: `host=${EVIL_HOST};proto=https`,
      'x-original-url': `//${EVIL_HOST}`,
      'x-rewrite-url': `//${EVIL_HOST}`,
      'x-host': EVIL_HOST,
    };
    for (const path of [
      '/',
      '/ar/test-message',
      '/fr/',
      '/auth/sign-in',
      '/sitemap.xml',
      '/robots.txt',
      '/fr.data',
    ]) {
      const { headers, body } = await anonymous().request(path, { headers: poison });
      expect(`${JSON.stringify(headers)}${body}`, path).not.toContain('evil');
    }
    const signOut = await signedIn.copy().request('/auth/sign-in?returnTo=/fr', { headers: poison });
    expect(signOut.headers.location).toBe('/fr');
  });
});

/** Creates a visitor who is signed in at the hosted login, which therefore redirects back at once. */
async function signInAtHostedLogin({ site, cloud }: Stack): Promise<HostedLoginVisitor> {
  const login = createHostedLoginVisitor(cloud);
  const begun = await createSiteVisitor(site.origin, agent).request('/auth/sign-up');
  await login.signUp(begun.headers.location ?? '', { ...ada, email: 'known@example.com' });
  return login;
}
