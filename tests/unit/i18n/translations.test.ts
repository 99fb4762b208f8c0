import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadTranslations } from '~/i18n/translations.server.ts';
import { hasParameters } from '../../../app/i18n/localized-page.ts';
import { pages } from '../../../app/pages.ts';

const translations = loadTranslations('public/locales');

it.each(pages)('the page $name has a title, a description and the text of its link in menus', (page) => {
  const { name, namespace } = page;
  const { exists } = translations.instance('en');
  expect(exists('title', { ns: namespace })).toBe(true);
  expect(exists('description', { ns: namespace })).toBe(true);
  if (!hasParameters(page)) expect(exists(`nav.pages.${name}`)).toBe(true);
});

it('loads only the requested namespaces', () => {
  expect(Object.keys(translations.of('en', ['common', 'home']))).toEqual(['common', 'home']);
});

it('returns the text with the arguments of each call, short or long', () => {
  const t = translations.instance('en').getFixedT('en', 'common');
  const paths = ['/one', '/two', '/one', `/${'long'.repeat(9)}`, `/${'more'.repeat(9)}`];
  for (const path of paths) {
    expect(t('error.404.missing', { path })).toContain(path);
  }
});

it('names the file that is not JSON', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenfold-locales-'));
  cpSync('public/locales', folder, { recursive: true });
  const file = join(folder, 'en', 'common.json');
  writeFileSync(file, '{"nav": ');
  expect(() => loadTranslations(folder)).toThrow(`${file} cannot be read: `);
  rmSync(folder, { recursive: true });
});
