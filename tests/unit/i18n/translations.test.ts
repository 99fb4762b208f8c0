import { describe, expect, it } from 'vitest';
import { locales } from '~/i18n/locales.ts';
import { loadTranslations } from '~/i18n/translations.server.ts';
import { pages } from '~/pages.ts';

const translations = loadTranslations('public/locales');

describe.each(locales)('the translations in $name', ({ code }) => {
  const { exists } = translations.instance(code);

  it.each(pages)(
    'contain a title, a description and a link text for the page $name',
    ({ name, namespace }) => {
      expect(exists('title', { ns: namespace })).toBe(true);
      expect(exists('description', { ns: namespace })).toBe(true);
      expect(exists(`nav.pages.${name}`)).toBe(true);
    },
  );
});

it('loads only the requested namespaces', () => {
  expect(Object.keys(translations.of('en', ['common', 'home']))).toEqual(['common', 'home']);
});
