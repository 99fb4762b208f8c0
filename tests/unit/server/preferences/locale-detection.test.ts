import { describe, expect, it } from 'vitest';
import { loadTranslations } from '~/i18n/translations.server.ts';
import { createI18n, namedLocale, requestLocale } from '~/server/preferences/locale-detection.ts';
import { another, forThisSite, other } from '../../../support/this-site.ts';

const i18n = createI18n(loadTranslations('public/locales'));

function visit(path: string, headers: Record<string, string>): Request {
  return new Request(`https://example.com${path}`, { headers });
}

/** The code of the locale that a loader gets. */
async function localeOf(request: Request, isDataRequest = false): Promise<string> {
  return (await requestLocale({ request, context: { i18n, isDataRequest } })).code;
}

describe('the language of a first visit', () => {
  it.each(
    forThisSite([
      ['en;q=0.8, fr-CA;q=0.9', 'fr'],
      ['tlh, zxx;q=0.9, de-AT;q=0.3, en;q=0.2', 'de'],
      ['zh-Hant-TW, en;q=0.5', 'zh'],
      ['AR', 'ar'],
      ['de;q=0, ja;q=0.1', 'ja'],
      ['*', 'en'],
      ['', 'en'],
      [',,;;=,', 'en'],
      ['__proto__, constructor;q=0.9', 'en'],
    ]),
  )('is chosen from “%s”', async (header, expected) => {
    expect(await localeOf(visit('/', { 'accept-language': header }))).toBe(expected);
  });

  // threat-model: T-057
  it('is chosen from 512 characters at most', async () => {
    const chosenFrom = (length: number) =>
      localeOf(visit('/', { 'accept-language': other.code.padEnd(length, ',*') }));
    expect(await chosenFrom(512)).toBe(other.code);
    expect(await chosenFrom(513)).toBe('en');
  });

  it('is the cookie’s, even when the browser prefers another', async () => {
    const request = visit('/', { cookie: `locale=${another.code}`, 'accept-language': other.code });
    expect(await localeOf(request)).toBe(another.code);
  });

  // threat-model: T-056
  it.each(['xx', '__proto__', 'en-US', '', '%66%72'])('ignores the cookie value “%s”', async (value) => {
    const request = visit('/', { cookie: `locale=${value}`, 'accept-language': other.code });
    expect(await localeOf(request)).toBe(other.code);
  });
});

describe('the language of any other request is the path’s', () => {
  const preferring = { cookie: `locale=${other.code}`, 'accept-language': other.code };

  it.each([
    ['on a page below /', visit('/page', preferring), false],
    ['after a link of the site', visit('/', { ...preferring, 'sec-fetch-site': 'same-origin' }), false],
    ['for a file', visit('/', { ...preferring, 'sec-fetch-dest': 'empty' }), false],
    ['for data, also without Fetch Metadata', visit('/', preferring), true],
  ] as const)('%s', async (_where, request, isDataRequest) => {
    expect(await localeOf(request, isDataRequest)).toBe('en');
  });

  it('with another prefix', async () => {
    const request = visit(`/${another.code}`, preferring);
    expect(await localeOf(request)).toBe(another.code);
  });
});

it('a loader gets the texts of a locale, with its own digits and in any namespace', async () => {
  const t = await i18n.getFixedT(other.code, 'server');
  const { instance } = loadTranslations('public/locales');
  const expected = instance(other.code).t('languageOffer.switch', { ns: 'server' });
  expect(t('languageOffer.switch')).toBe(expected);
  expect(t('error.home', { ns: 'common' })).toBe(instance(other.code).t('error.home'));
});

describe('the language that Accept-Language names', () => {
  it.each(
    forThisSite([
      ['en;q=0.8, fr-CA;q=0.9', 'fr'],
      ['*;q=0.1, ja;q=0.5', 'ja'],
      ['tlh, *', null],
      ['tlh, zxx;q=0.9, de;q=0.8', 'de'],
      ['fr'.padEnd(512, ',*'), 'fr'],
      ['*', null],
      ['', null],
      ['tlh, zxx', null],
      ['de;q=0, ja;q=0.1', 'ja'],
      ['fr;q=nonsense, de', 'de'],
      [',,;;=,', null],
      ['__proto__, constructor;q=0.9', null],
      ['fr'.padEnd(513, ',*'), null],
    ]),
  )('is found in “%s”', (header, expected) => {
    const { headers } = visit('/', { 'accept-language': header });
    expect(namedLocale(headers)?.code ?? null).toBe(expected);
  });

  it('does not exist without the header, which crawlers do not send', () => {
    expect(namedLocale(visit('/', {}).headers)).toBeNull();
  });
});
