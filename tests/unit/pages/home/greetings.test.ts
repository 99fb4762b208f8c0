import { expect, it } from 'vitest';
import { locales } from '~/i18n/locales.ts';
import { loadTranslations } from '~/i18n/translations.server.ts';

const translations = loadTranslations('public/locales');

it.each(locales)('the texts of the home page in $name have the greetings of every language', ({ code }) => {
  const { t } = translations.instance(code);
  for (const other of locales) {
    const text = translations.instance(other.code).t(`allLocales.${other.code}.greeting`, { ns: 'home' });
    expect(t(`allLocales.${other.code}.greeting`, { ns: 'home' })).toBe(text);
  }
});
