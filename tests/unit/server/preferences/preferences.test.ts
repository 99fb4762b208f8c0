import { describe, expect, it } from 'vitest';
import { parseLocale } from '~/i18n/locales.ts';
import { offeredLocale } from '~/server/preferences/language-offer.ts';
import {
  dismissLanguageOffer,
  isLanguageOfferDismissed,
  readTheme,
  rememberLocale,
  rememberTheme,
} from '~/server/preferences/preferences.ts';
import { createResponseCookies } from '../../../../packages/cognito-session/src/cookies/cookie-jar.ts';
import { forThisSite, other } from '../../../support/this-site.ts';

const requestWith = (headers: Record<string, string>) => ({ headers: new Headers(headers) });
const locale = (code: string) => {
  const found = parseLocale(code);
  if (!found) throw new RangeError(`no such locale: ${code}`);
  return found;
};

describe('a preference', () => {
  it.each([
    [true, '; Secure'],
    [false, ''],
  ])('is a cookie for a year that scripts can read, with Secure: %s', (secure, attribute) => {
    const cookies = createResponseCookies();
    rememberTheme(cookies, 'dark', secure);
    rememberLocale(cookies, locale(other.code), secure);
    dismissLanguageOffer(cookies, secure);
    const attributes = `; Max-Age=31536000; Path=/${attribute}; SameSite=Lax`;
    expect(cookies.lines()).toEqual([
      `theme=dark${attributes}`,
      `locale=${other.code}${attributes}`,
      `language-offer=dismissed${attributes}`,
    ]);
  });

  it.each([
    ['theme=pink; theme=dark', 'dark'],
    ['theme=light; theme=dark', 'light'],
    ['theme=dark', 'dark'],
    ['theme=light', 'light'],
    ['theme=blue', 'system'],
    ['other=dark', 'system'],
  ])('for the theme is read from the cookie: %s means %s', (cookie, theme) => {
    expect(readTheme(requestWith({ cookie }))).toBe(theme);
  });

  it.each([
    ['language-offer=dismissed', true],
    ['language-offer=1', false],
    ['', false],
  ])('against language offers is read from the cookie: %j', (cookie, isDismissed) => {
    expect(isLanguageOfferDismissed(requestWith({ cookie }))).toBe(isDismissed);
  });
});

describe('the language that is offered', () => {
  it.each(
    forThisSite([
      ['of the cookie', { cookie: 'locale=ja', 'accept-language': 'de' }, 'ja'],
      ['of the browser', { 'accept-language': 'de' }, 'de'],
      [
        'of the browser, if the cookie names none of the site',
        { cookie: 'locale=x', 'accept-language': 'de' },
        'de',
      ],
      ['of no cookie and no header', {}, null],
      ['of no language of the site', { 'accept-language': 'tlh' }, null],
      ['of a page in that language', { cookie: 'locale=fr', 'accept-language': 'de' }, null],
      ['that was dismissed', { cookie: 'locale=ja; language-offer=dismissed' }, null],
    ]),
  )('on a page in another language is that %s', (_what, headers: Record<string, string>, offered) => {
    expect(offeredLocale(locale(other.code), requestWith(headers))?.code ?? null).toBe(offered);
  });
});
