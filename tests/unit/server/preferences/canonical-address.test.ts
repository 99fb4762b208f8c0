import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTranslations } from '~/i18n/translations.server.ts';
import { createCanonicalRedirects } from '~/server/preferences/canonical-address.ts';
import { createI18n } from '~/server/preferences/locale-detection.ts';
import { sendRaw } from '../../../support/http/raw-request.ts';
import { type StepServer, serveSteps } from '../../../support/http/step-server.ts';
import { another, examplePath, other, otherHome } from '../../../support/this-site.ts';

const deps = {
  env: { appOrigin: 'https://app.example', session: { secure: true } },
  i18n: createI18n(loadTranslations('public/locales')),
};
let server: StepServer;

beforeAll(async () => {
  server = await serveSteps(() => [createCanonicalRedirects(deps)], {});
});
afterAll(() => server.close());

/** Sends a request from a browser that prefers another language than English. */
async function visit(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await sendRaw(server.origin, {
    method,
    path,
    headers: { 'accept-language': other.code, ...headers },
  });
  const { location, 'set-cookie': cookies } = response.headers;
  return { status: response.status, location, cookies };
}

const NO_REDIRECT = { status: 404, location: undefined, cookies: undefined };

describe('the redirect to the visitor’s language', () => {
  it('happens at / for a visitor from outside, keeps the query, and remembers the language', async () => {
    const headers = { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' };
    expect(await visit('/?a=1', headers)).toEqual({
      status: 302,
      location: `/${other.code}?a=1`,
      cookies: [`locale=${other.code}; Max-Age=31536000; Path=/; Secure; SameSite=Lax`],
    });
  });

  it('does not happen for a visitor who prefers English, which is remembered too', async () => {
    const { status, location, cookies } = await visit('/', { 'accept-language': 'en' });
    expect([status, location]).toEqual([404, undefined]);
    expect(cookies).toEqual([expect.stringMatching(/^locale=en;/)]);
  });

  it('happens for HEAD, and not for POST', async () => {
    const statusOf = async (method: string) => (await visit('/', {}, method)).status;
    expect([await statusOf('HEAD'), await statusOf('POST')]).toEqual([302, 404]);
  });

  it('depends on the language and the cookie, also where it does not happen', async () => {
    for (const language of [other.code, 'en']) {
      const headers = { 'accept-language': language };
      const response = await sendRaw(server.origin, { path: '/', headers });
      expect(response.headers.vary).toContain('Accept-Language, Cookie');
    }
  });

  it('follows the cookie, which is not set again', async () => {
    expect(await visit('/', { cookie: `locale=${another.code}` })).toEqual({
      status: 302,
      location: `/${another.code}`,
      cookies: undefined,
    });
  });

  it.each([
    [otherHome, {}],
    [examplePath(other), {}],
    ['/_root.data', { 'sec-fetch-dest': 'empty' }],
    ['/', { 'sec-fetch-dest': 'empty' }],
    ['/', { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'same-origin' }],
  ])('does not happen at %s with %o', async (path, headers) => {
    expect(await visit(path, headers)).toEqual(NO_REDIRECT);
  });
});

describe('the redirect after a sign-out', () => {
  const arrive = (returnTo: string, path = '/') => {
    const value = `signed-out.${Buffer.from(returnTo).toString('base64url')}`;
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' };
    return visit(path, { ...headers, cookie: `locale=en; __Host-notice=${value}` });
  };

  it('leads from / to the page, which shows the notice', async () => {
    const { status, location, cookies } = await arrive('/test-message?after=x#list');
    expect([status, location, cookies]).toEqual([302, '/test-message?after=x#list', undefined]);
    expect((await arrive('/test-message', otherHome)).location).toBeUndefined();
  });

  it.each(['/', '//evil.example', 'https://evil.example/', '/auth/sign-out', '\\\\evil.example'])(
    'does not lead to %j',
    async (returnTo) => {
      expect((await arrive(returnTo)).location).toBeUndefined();
    },
  );
});

it('a redirect opens the session, whose refreshed cookie it carries, and other requests do not', async () => {
  const step = createCanonicalRedirects(deps);
  const opened: string[] = [];
  const noting = await serveSteps(() => [
    (exchange) => step(Object.assign(exchange, { context: async () => opened.push(exchange.target) })),
  ]);
  const requests = [
    [`${otherHome}/`, 'en'],
    ['/?other', other.code],
    ['/?en', 'en'],
    [otherHome, 'en'],
  ] as const;
  for (const [path, language] of requests)
    await sendRaw(noting.origin, { path, headers: { 'accept-language': language } });
  noting.close();
  expect(opened).toEqual([`${otherHome}/`, '/?other']);
});

describe('the redirect without a trailing slash', () => {
  it.each([
    [`${otherHome}/`, otherHome],
    [`${otherHome}///?a=/b/`, `${otherHome}?a=/b/`],
    ['//?a=1', '/?a=1'],
  ])('of %s leads to %s', async (path, location) => {
    expect(await visit(path)).toMatchObject({ status: 301, location });
  });

  it('keeps a form', async () => {
    expect(await visit('/preferences/', {}, 'POST')).toMatchObject({ status: 308, location: '/preferences' });
    expect(await visit(`${otherHome}/`, {}, 'HEAD')).toMatchObject({ status: 301 });
  });

  it.each([otherHome, `${otherHome}?a=/`])('does not happen at %s', async (path) => {
    expect(await visit(path)).toEqual(NO_REDIRECT);
  });
});
