import { describe, expect, it } from 'vitest';
import { detectLocale, namedLocale } from '~/server/preferences/locale-detection.ts';
import { another, forThisSite, other } from '../../../support/this-site.ts';

function visit(path: string, headers: Record<string, string>): Request {
  return new Request(`https://example.com${path}`, { headers });
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
    const { locale } = await detectLocale(visit('/', { 'accept-language': header }));
    expect(locale.code).toBe(expected);
  });

  // threat-model: T-057
  it('is chosen from 512 characters at most', async () => {
    const chosenFrom = async (length: number) =>
      (await detectLocale(visit('/', { 'accept-language': other.code.padEnd(length, ',*') }))).locale.code;
    expect(await chosenFrom(512)).toBe(other.code);
    expect(await chosenFrom(513)).toBe('en');
  });

  it('is the cookie’s, even when the browser prefers another', async () => {
    const request = visit('/', { cookie: `locale=${another.code}`, 'accept-language': other.code });
    expect(await detectLocale(request)).toMatchObject({ locale: { code: another.code }, remember: false });
  });

  // threat-model: T-056
  it.each(['xx', '__proto__', 'en-US', '', '%66%72'])('ignores the cookie value “%s”', async (value) => {
    const request = visit('/', { cookie: `locale=${value}`, 'accept-language': other.code });
    expect(await detectLocale(request)).toMatchObject({ locale: { code: other.code }, remember: true });
  });
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
    for (const _again of [1, 2]) {
      const { headers } = visit('/', { 'accept-language': header });
      expect(namedLocale(headers)?.code ?? null).toBe(expected);
    }
  });

  it('does not exist without the header, which crawlers do not send', () => {
    expect(namedLocale(visit('/', {}).headers)).toBeNull();
  });
});
