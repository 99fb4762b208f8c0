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

it('returns the text with the arguments of each call, short or long', () => {
  const t = translations.instance('en').getFixedT('en', 'common');
  const paths = ['/one', '/two', '/one', `/${'long'.repeat(9)}`, `/${'more'.repeat(9)}`];
  for (const path of paths) {
    expect(t('error.404.description', { path })).toContain(path);
  }
});
