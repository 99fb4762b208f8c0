import { expect, it } from 'vitest';
import { loadTranslations } from '~/i18n/translations.server.ts';
import { pages } from '~/pages.ts';

const translations = loadTranslations('public/locales');

it.each(pages)('the page $name has a title, a description and a link text', ({ name, namespace }) => {
  const { exists } = translations.instance('en');
  expect(exists('title', { ns: namespace })).toBe(true);
  expect(exists('description', { ns: namespace })).toBe(true);
  expect(exists(`nav.pages.${name}`)).toBe(true);
});

it('loads only the requested namespaces', () => {
  expect(Object.keys(translations.of('en', ['common', 'home']))).toEqual(['common', 'home']);
});
