import { describe, expect, it } from 'vitest';
import { createResponseCookies } from '~/server/cookies/cookie-jar.ts';
import { toVisitorsLanguage, withoutTrailingSlash } from '~/server/preferences/canonical-address.ts';
import { detectLocale } from '~/server/preferences/locale-detection.ts';

function visit(path: string, headers: Record<string, string>): Request {
  return new Request(`https://example.com${path}`, { headers });
}

describe('the language of a first visit', () => {
  it.each([
    ['fr', 'fr'],
    ['fr-CA,fr;q=0.9,en;q=0.8', 'fr'],
    ['en;q=0.8, fr-CA;q=0.9', 'fr'],
    ['it, nl;q=0.9, de-AT;q=0.3, en;q=0.2', 'de'],
    ['zh-Hant-TW, en;q=0.5', 'zh'],
    ['pt-PT', 'pt'],
    ['AR', 'ar'],
    ['de;q=0, ja;q=0.1', 'ja'],
    ['*', 'en'],
    ['', 'en'],
    ['nl, sv', 'en'],
    ['fr;q=nonsense, de', 'de'],
    [',,;;=,', 'en'],
    ['__proto__, constructor;q=0.9', 'en'],
    [`${'x-'.repeat(5000)}, fr`, 'en'],
  ])('is chosen from “%s”', async (header, expected) => {
    const { locale } = await detectLocale(visit('/', { 'accept-language': header }));
    expect(locale.code).toBe(expected);
  });

  // threat-model: T-057
  it('is chosen from 512 characters at most', async () => {
    const chosenFrom = async (length: number) =>
      (await detectLocale(visit('/', { 'accept-language': 'fr'.padEnd(length, ',*') }))).locale.code;
    expect(await chosenFrom(512)).toBe('fr');
    expect(await chosenFrom(513)).toBe('en');
  });

  it('is the cookie’s, whatever the browser prefers', async () => {
    const request = visit('/', { cookie: 'locale=hi', 'accept-language': 'fr' });
    expect(await detectLocale(request)).toMatchObject({ locale: { code: 'hi' }, remember: false });
  });

  // threat-model: T-056
  it.each(['xx', '__proto__', 'en-US', '', '%66%72'])('is not what a cookie of “%s” says', async (value) => {
    const request = visit('/', { cookie: `locale=${value}`, 'accept-language': 'fr' });
    expect(await detectLocale(request)).toMatchObject({ locale: { code: 'fr' }, remember: true });
  });
});

describe('who is sent to their language', () => {
  const env = { appOrigin: 'https://example.com' } as Parameters<typeof toVisitorsLanguage>[1]['env'];

  async function arrive(path: string, headers: Record<string, string>) {
    const cookies = createResponseCookies();
    const redirect = await toVisitorsLanguage(visit(path, { 'accept-language': 'ja', ...headers }), {
      cookies,
      env,
    });
    return { redirect, cookies: cookies.lines() };
  }

  it('is who asks for bare / from outside; the query is kept, the choice remembered', async () => {
    expect(await arrive('/?a=1', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' })).toEqual({
      redirect: { status: 302, location: '/ja?a=1' },
      cookies: ['locale=ja; Max-Age=31536000; Path=/; Secure; SameSite=Lax'],
    });
  });

  it('is not who reads English, which is remembered too', async () => {
    const { redirect, cookies } = await arrive('/', { 'accept-language': 'en' });
    expect(redirect).toBeNull();
    expect(cookies).toEqual([expect.stringMatching(/^locale=en;/)]);
  });

  it.each([
    ['/fr', {}],
    ['/typography-demo', {}],
    ['/_root.data', { 'sec-fetch-dest': 'empty' }],
    ['/', { 'sec-fetch-dest': 'empty' }],
    ['/', { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'same-origin' }],
  ])('is nobody at %s with %o', async (path, headers) => {
    expect(await arrive(path, headers)).toEqual({ redirect: null, cookies: [] });
  });
});

it.each([
  ['/fr/', '/fr'],
  ['/fr///?a=/b/', '/fr?a=/b/'],
])('%s is %s', (target, location) => {
  expect(withoutTrailingSlash(target)).toEqual({ status: 301, location });
});

it.each(['/', '/fr', '/fr?a=/'])('%s is itself', (target) => {
  expect(withoutTrailingSlash(target)).toBeNull();
});
