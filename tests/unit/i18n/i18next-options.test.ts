import { createInstance } from 'i18next';
import { expect, it } from 'vitest';
import { i18nextOptions } from '~/i18n/i18next-options.ts';
import { defaultLocale, parseLocale } from '~/i18n/locales.ts';
import { forThisSite } from '../../support/this-site.ts';

function translate(code: string, missing: string, path: string | number): string {
  const locale = (parseLocale(code) ?? defaultLocale).code;
  const instance = createInstance();
  void instance.init(i18nextOptions(locale, { [locale]: { common: { error: { 404: { missing } } } } }));
  return instance.t('error.404.missing', { path });
}

it.each(
  forThisSite([
    ['en', '1,234'],
    ['de', '1.234'],
    ['ar', '١٬٢٣٤'],
  ]),
)('formats numbers in translations for the locale %s', (locale, written) => {
  expect(translate(locale, '{{path}}', 1234)).toBe(written);
});

it('does not escape values, because React does', () => {
  expect(translate('en', 'at {{path}}', '/<b>&1234')).toBe('at /<b>&1234');
});
