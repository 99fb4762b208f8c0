/** Forms and scripts of other sites in the browser of a signed-in visitor, for every route. */
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawResponse, sendRaw } from '../../support/http/raw-request.ts';
import { shippedQuery } from '../../support/http/shipped-operations.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { createHostedLoginVisitor, PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { createSiteVisitor, type SiteVisitor, signUpVisitor } from '../../support/sign-in/site-visitor.ts';
import { forThisSite } from '../../support/this-site.ts';

const agent = new Agent({ keepAlive: true });
let stack: Stack;
let ada: SiteVisitor;

beforeAll(async () => {
  stack = await startStack({ environment: { RATE_LIMIT_SCALE: '0' } });
  ada = await signUpVisitor(stack, agent, 'ada@example.com');
}, 60_000);
afterAll(async () => {
  agent.destroy();
  await stack.stop();
});

const routes = [
  ...['/', '/ar', '/test-message', '/ja/test-message', '/typography-demo', '/nowhere'],
  ...['/auth/sign-in', '/auth/sign-up', '/auth/callback', '/auth/sign-out'],
  ...['/api/graphql', '/api/identity', '/api/icons/lucide.json', '/preferences'],
  ...[
    '/sitemap.xml',
    '/robots.txt',
    '/.well-known/security.txt',
    '/csp-reports',
    '/manifest.webmanifest',
    '/__manifest',
    '/builds/latest.json',
  ],
];
/** The same routes at the URLs that Remix uses internally, in its current and its former protocol. */
const spellings = (path: string) => [
  path,
  path === '/' ? '/_root.data' : `${path}.data`,
  `${path}?index`,
  `${path}${path === '/' ? '' : '/'}`,
  `${path}?_data=root`,
  `${path}?_method=DELETE&_routes=root`,
];

const evil = 'https://evil.example';
const senders: readonly [string, () => Record<string, string>][] = [
  ['another site', () => ({ 'sec-fetch-site': 'cross-site', origin: evil })],
  [
    'a sibling of this site',
    () => ({ 'sec-fetch-site': 'same-site', origin: 'http://other.localhost:3000' }),
  ],
  ['an older browser on another site', () => ({ origin: evil })],
  ['a browser that sends no metadata', () => ({})],
  [
    'a page behind a proxy of its own',
    () => ({
      'sec-fetch-site': 'cross-site',
      origin: evil,
      'x-forwarded-host': 'evil.example',
    }),
  ],
];

const operation = JSON.stringify({ query: shippedQuery.query });
const bodies: readonly [string, string][] = [
  ['application/x-www-form-urlencoded', 'theme=dark&locale=fr&content=stolen&returnTo=/'],
  ['text/plain', operation],
  ['text/plain', 'theme=dark&content=stolen'],
  ['application/json', operation],
  [
    'multipart/form-data; boundary=x',
    '--x\r\ncontent-disposition: form-data; name="content"\r\n\r\nstolen\r\n--x--\r\n',
  ],
];

/** Sends a request as another site's page in Ada's browser would, with only the given headers. */
function send(
  path: string,
  method: string,
  headers: Record<string, string>,
  body: string,
): Promise<RawResponse> {
  const cookie = ada.cookies.header();
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  return sendRaw(
    stack.site.origin,
    { path, method, headers: { cookie, ...length, ...headers }, body },
    agent,
  );
}

describe.each(senders)('%s', (_sender, headersOf) => {
  // threat-model: T-050
  it('can change nothing with any unsafe method on any route', async () => {
    stack.cloud.faults.forgetCalls();
    for (const path of routes.flatMap(spellings)) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const [type, body] = bodies[path.length % bodies.length] ?? ['', ''];
        const response = await send(path, method, { ...headersOf(), 'content-type': type }, body);
        // The request filter checks the method and the query before the sender.
        const expected = method !== 'POST' ? 405 : path.includes('_data=') ? 400 : 403;
        expect(response.status, `${method} ${path}`).toBe(expected);
        expect(response.headers['set-cookie'], `${method} ${path}`).toBeUndefined();
        expect(response.headers['access-control-allow-origin']).toBeUndefined();
      }
    }
    expect(stack.cloud.faults.calls).toEqual({});
    expect(await ada.isSignedIn(), 'and the visitor is still signed in').toBe(true);
  });

  // threat-model: T-029, T-041
  it.each(
    forThisSite(['/test-message', '/test-message.data', '/preferences', '/auth/sign-out', '/api/graphql']),
  )('cannot send a form of any type to %s', async (path) => {
    stack.cloud.faults.forgetCalls();
    for (const [type, body] of bodies) {
      const { status, headers } = await send(path, 'POST', { ...headersOf(), 'content-type': type }, body);
      expect([status, headers['set-cookie'], headers['clear-site-data']], type).toEqual([
        ...[403, undefined, undefined],
      ]);
    }
    const { status } = await send(path, 'POST', headersOf(), '');
    expect(status, 'no content type at all').toBe(403);
    expect(stack.cloud.faults.calls).toEqual({});
  });
});

describe('a link or an image of another site', () => {
  const crossSiteImage = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'no-cors',
    'sec-fetch-dest': 'image',
  };

  // threat-model: T-029
  it('ends no session and changes no preference, also with method overrides', async () => {
    for (const path of [
      '/auth/sign-out',
      '/preferences?theme=dark',
      '/preferences?locale=fr',
      '/api/graphql?query={x}',
    ]) {
      for (const override of ['', `${path.includes('?') ? '&' : '?'}_method=POST`]) {
        const response = await ada.copy().request(path + override, {
          headers: { ...crossSiteImage, 'x-http-method-override': 'POST', 'x-method-override': 'POST' },
        });
        expect([response.status, response.headers['set-cookie']], path).toEqual([405, undefined]);
      }
    }
    expect(await ada.isSignedIn()).toBe(true);
  });

  // threat-model: T-050
  it.each(['cross-site', 'same-site'])('creates no guest identity: %s', async (site) => {
    stack.cloud.faults.forgetCalls();
    const { status } = await ada.copy().request('/api/identity', { headers: { 'sec-fetch-site': site } });
    expect([status, stack.cloud.faults.calls]).toEqual([403, {}]);
  });

  // threat-model: T-029
  it('neither starts nor completes a sign-in as a prefetch', async () => {
    for (const path of ['/auth/sign-in', '/auth/sign-up', '/auth/callback?code=x&state=y']) {
      const { status, headers } = await createSiteVisitor(stack.site.origin, agent).request(path, {
        headers: { ...crossSiteImage, 'sec-purpose': 'prefetch;prerender' },
      });
      expect([status, headers['set-cookie']], path).toEqual([403, undefined]);
    }
  });
});

describe('a sign-in of a visitor with a session at the hosted login', () => {
  // threat-model: T-082
  it.each([
    ['cross-site', '/login'],
    ['same-site', '/login'],
    ['same-origin', '/auth/callback'],
    ['none', '/auth/callback'],
  ])('leads from a page that is %s to %s', async (site, path) => {
    const visitor = createSiteVisitor(stack.site.origin, agent);
    const hostedLogin = createHostedLoginVisitor(stack.cloud);
    const first = await visitor.request('/auth/sign-in');
    await hostedLogin.signIn(first.headers.location ?? '', { email: 'ada@example.com', password: PASSWORD });
    const second = await visitor.request('/auth/sign-in', { headers: { 'sec-fetch-site': site } });
    const { url } = await hostedLogin.open(second.headers.location ?? '');
    expect(url.pathname).toBe(path);
  });
});

it('a form of the site itself is accepted with either header', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const own of [{ 'sec-fetch-site': 'same-origin' }, { origin: stack.site.origin }]) {
    const { status } = await send('/preferences', 'POST', { ...own, ...form }, 'theme=dark');
    expect(status).toBe(303);
  }
});

it('a rejected request has the code of the rejection in the log', async () => {
  const { headers } = await sendRaw(stack.site.origin, {
    method: 'POST',
    path: '/preferences',
    headers: { origin: evil },
  });
  const isLogged = () =>
    stack.site
      .output()
      .split('\n')
      .some(
        (line) => line.includes(`"${headers['x-request-id']}"`) && line.includes('"code":"ForeignOrigin"'),
      );
  await expect.poll(isLogged).toBe(true);
});
