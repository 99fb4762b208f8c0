/** Forms and scripts of other sites in the browser of a signed-in visitor, for every route. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type RawResponse, sendRaw } from '../../support/http/raw-request.ts';
import { shippedQuery } from '../../support/http/shipped-operations.ts';
import { createHostedLoginVisitor, PASSWORD } from '../../support/sign-in/hosted-login.ts';
import type { SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { hasPage } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const stack = setUpStack({ environment: { RATE_LIMIT_SCALE: '0' } });
let ada: SiteVisitor;

beforeAll(async () => {
  ada = await stack.signUp('ada');
});

const routes = [
  ...['/', '/ar', '/test-message', '/ja/test-message', '/typography-demo', '/nowhere'],
  ...['/auth/sign-in', '/auth/sign-up', '/auth/callback', '/auth/sign-out'],
  ...['/api/graphql', '/api/identity', '/api/icons/lucide.json', '/preferences'],
  ...['/sitemap.xml', '/robots.txt', '/.well-known/security.txt', '/manifest.webmanifest'],
  ...['/csp-reports', '/__manifest', '/builds/latest.json'],
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
const senders: readonly [string, Record<string, string>][] = [
  ['another site', { 'sec-fetch-site': 'cross-site', origin: evil }],
  ['a sibling of this site', { 'sec-fetch-site': 'same-site', origin: 'http://other.localhost:3000' }],
  ['an older browser on another site', { origin: evil }],
  ['a browser that sends no metadata', {}],
  [
    'a page behind a proxy of its own',
    { 'sec-fetch-site': 'cross-site', origin: evil, 'x-forwarded-host': 'evil.example' },
  ],
];

const operation = JSON.stringify({ query: shippedQuery.query });
const bodies: readonly [string | null, string][] = [
  ['application/x-www-form-urlencoded', 'theme=dark&locale=fr&content=stolen&returnTo=/'],
  ['text/plain', operation],
  ['text/plain', 'theme=dark&content=stolen'],
  ['application/json', operation],
  [
    'multipart/form-data; boundary=x',
    '--x\r\ncontent-disposition: form-data; name="content"\r\n\r\nstolen\r\n--x--\r\n',
  ],
  [null, ''],
];

/** Sends a request as another site's page in Ada's browser would, with only the given headers. */
function send(
  path: string,
  method: string,
  headers: Record<string, string>,
  [type, body]: readonly [string | null, string],
): Promise<RawResponse> {
  const content = {
    'content-length': String(Buffer.byteLength(body)),
    ...(type === null ? {} : { 'content-type': type }),
  };
  const cookie = ada.cookies.header();
  const request = { path, method, headers: { cookie, ...content, ...headers }, body };
  return sendRaw(stack.site.origin, request, stack.agent);
}

describe.each(senders)('%s', (_sender, headers) => {
  // threat-model: T-029, T-041, T-050
  it('can change nothing with any unsafe method on any route', async () => {
    stack.cloud.faults.forgetCalls();
    for (const path of routes.flatMap(spellings)) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        // The routes that change something get every body.
        const isTarget = /^\/(test-message|preferences|auth\/sign-out|api\/graphql)(\.data)?$/.test(path);
        const sent = isTarget ? bodies : bodies.slice(0, 1);
        for (const body of sent) {
          const name = `${method} ${path} ${body[0]}`;
          const response = await send(path, method, headers, body);
          // The request filter checks the method and the query before the sender.
          const expected = method !== 'POST' ? 405 : path.includes('_data=') ? 400 : 403;
          expect(response.status, name).toBe(expected);
          for (const header of ['set-cookie', 'access-control-allow-origin', 'clear-site-data']) {
            expect(response.headers, name).not.toHaveProperty(header);
          }
        }
      }
    }
    expect(stack.cloud.faults.calls).toEqual({});
    expect(await ada.isSignedIn(), 'and the visitor is still signed in').toBe(true);
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
    const override = { 'x-http-method-override': 'POST', 'x-method-override': 'POST' };
    for (const path of ['/auth/sign-out?', '/preferences?theme=dark', '/api/graphql?query={x}']) {
      const { status, headers } = await ada.copy().request(`${path}&_method=POST`, {
        headers: { ...crossSiteImage, ...override },
      });
      expect([status, headers['set-cookie']], path).toEqual([405, undefined]);
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
      const { status, headers } = await stack.visit().request(path, {
        headers: { ...crossSiteImage, 'sec-purpose': 'prefetch;prerender' },
      });
      expect([status, headers['set-cookie']], path).toEqual([403, undefined]);
    }
  });
});

describe('beside many requests that other sites cause, a visitor', () => {
  // At this scale one request of each limit is allowed.
  const strict = setUpStack({ environment: { RATE_LIMIT_SCALE: '0.001' } });
  const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };

  // threat-model: T-111
  it('signs in, chooses a theme and has an identity', async () => {
    const paths = ['/preferences', '/auth/sign-out', '/auth/sign-in', '/api/identity', '/csp-reports'];
    for (const path of paths) {
      for (let count = 0; count < 10; count++) {
        expect([403, 405], path).toContain((await strict.get(path, image)).status);
      }
    }
    const own = { 'sec-fetch-site': 'same-origin' };
    const form = { ...own, 'content-type': 'application/x-www-form-urlencoded' };
    const statuses = [
      await strict.get('/auth/sign-in', own),
      await strict.send({ method: 'POST', path: '/preferences', headers: form, body: 'theme=dark' }),
      await strict.get('/api/identity', own),
    ].map(({ status }) => status);
    expect(statuses).toEqual([302, 303, 200]);
  });
});

describe('a sign-in of a visitor with a session at the hosted login', () => {
  // threat-model: T-082
  it.each([
    ['cross-site', '/login'],
    ['same-origin', '/auth/callback'],
  ])('leads from a page that is %s to %s', async (site, path) => {
    const visitor = stack.visit();
    const hostedLogin = createHostedLoginVisitor(stack.cloud);
    const first = await visitor.request('/auth/sign-in');
    await hostedLogin.signIn(first.headers.location ?? '', { email: 'ada@example.com', password: PASSWORD });
    const second = await visitor.request('/auth/sign-in', { headers: { 'sec-fetch-site': site } });
    const { url } = await hostedLogin.open(second.headers.location ?? '');
    expect(url.pathname).toBe(path);
  });
});

it('a form of the site itself is accepted with either header', async () => {
  const form = ['application/x-www-form-urlencoded', 'theme=dark'] as const;
  for (const own of [{ 'sec-fetch-site': 'same-origin' }, { origin: stack.site.origin }]) {
    expect((await send('/preferences', 'POST', own, form)).status).toBe(303);
  }
});

// threat-model: T-029
it('a form of a page that withholds its referrer is accepted, and no other with an opaque origin', async () => {
  const form = ['application/x-www-form-urlencoded', 'content=hello&theme=dark'] as const;
  // Remix checks the origin of a page's form too.
  const path = hasPage('test-message') ? '/test-message' : '/preferences';
  const statusOf = async (headers: Record<string, string>) =>
    (await send(path, 'POST', { origin: 'null', ...headers }, form)).status;
  expect(await statusOf({ 'sec-fetch-site': 'same-origin' })).toBeLessThan(400);
  expect(await statusOf({})).toBe(403);
  expect(await statusOf({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await statusOf({ 'sec-fetch-site': 'same-site' })).toBe(403);
});

it('a rejected request has the code of the rejection in the log', async () => {
  const request = { method: 'POST', path: '/preferences', headers: { origin: evil } };
  const { headers } = await stack.send(request);
  const line = new RegExp(`"${headers['x-request-id']}".*"code":"ForeignOrigin"`);
  await expect.poll(() => line.test(stack.site.output())).toBe(true);
});
