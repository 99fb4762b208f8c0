import { createInstance } from 'i18next';
import { expect, it } from 'vitest';
import { instanceOptions } from '~/i18n/instance.ts';
import type { LocaleCode } from '~/i18n/locales.ts';

function translate(locale: LocaleCode, text: string, values: Record<string, unknown>): string {
  const instance = createInstance();
  void instance.init(instanceOptions(locale, { [locale]: { common: { text } } }));
  return instance.t('text', values);
}

it.each([
  ['en', '1,234'],
  ['de', '1.234'],
  ['ar', '١٬٢٣٤'],
] as const)('writes numbers in texts as %s does', (locale, written) => {
  expect(translate(locale, '{{count}}', { count: 1234 })).toBe(written);
});

it('leaves words as they are, for React to escape', () => {
  expect(translate('en', 'at {{path}}', { path: '/<b>&1234' })).toBe('at /<b>&1234');
});
