import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultLocale, type LocaleCode, locales } from '~/i18n/locales.ts';

const DIRECTORY = 'public/locales';
const PLURAL_SUFFIX = /_(zero|one|two|few|many|other)$/;

/** Texts that are correct although they equal the English ones: names, and words that both languages share. */
const SAME_AS_ENGLISH: Partial<Record<LocaleCode, readonly string[]>> = JSON.parse(
  readFileSync('tests/fixtures/same-as-english.json', 'utf8'),
);

type Texts = Record<string, string>;

const namespaces = readdirSync(join(DIRECTORY, defaultLocale.code)).map((file) =>
  file.replace(/\.json$/, ''),
);
const english = Object.fromEntries(namespaces.map((namespace) => [namespace, textsOf('en', namespace)]));
const source = ['app', 'server.ts'].flatMap(sourceFiles).map((file) => readFileSync(file, 'utf8'));

describe.each(locales)('$name', ({ code, iso }) => {
  const categories = new Intl.PluralRules(iso).resolvedOptions().pluralCategories;

  it('has exactly the namespaces of English', () => {
    const files = readdirSync(join(DIRECTORY, code)).map((file) => file.replace(/\.json$/, ''));
    expect(files.sort()).toEqual([...namespaces].sort());
  });

  it.each(namespaces)('has every text of %s in every plural form of the language', (namespace) => {
    const needed = Object.keys(english[namespace] ?? {}).flatMap((key) =>
      PLURAL_SUFFIX.test(key)
        ? categories.map((category) => key.replace(PLURAL_SUFFIX, `_${category}`))
        : [key],
    );
    expect(Object.keys(textsOf(code, namespace)).sort()).toEqual([...new Set(needed)].sort());
  });

  it.each(namespaces)('has the placeholders and tags of English in %s and no empty text', (namespace) => {
    for (const [key, text] of Object.entries(textsOf(code, namespace))) {
      expect(text.trim(), key).not.toBe('');
      expect(text, key).toBe(text.trim());
      const englishText =
        english[namespace]?.[key] ?? english[namespace]?.[key.replace(PLURAL_SUFFIX, '_other')] ?? '';
      // A plural form for a single number may spell the number out.
      const optional = /_(zero|one|two)$/.test(key) ? ['{{count}}'] : [];
      const missing = placeholders(englishText).filter((name) => !placeholders(text).includes(name));
      expect(
        missing.filter((name) => !optional.includes(name)),
        `missing in ${key}`,
      ).toEqual([]);
      expect(
        placeholders(text).filter((name) => !placeholders(englishText).includes(name)),
        `unknown in ${key}`,
      ).toEqual([]);
    }
  });

  it.runIf(code !== 'en').each(namespaces)('has no untranslated text in %s', (namespace) => {
    const same = Object.entries(textsOf(code, namespace)).filter(
      ([key, text]) =>
        text === english[namespace]?.[key] && /\p{L}{2}/u.test(text.replace(/\{\{.*?\}\}/g, '')),
    );
    const allowed = new Set(SAME_AS_ENGLISH[code] ?? []);
    expect(same.map(([key]) => `${namespace}:${key}`).filter((key) => !allowed.has(key))).toEqual([]);
  });
});

it('every text is used', () => {
  const unused = namespaces.flatMap((namespace) =>
    Object.keys(english[namespace] ?? {})
      .map((key) => key.replace(PLURAL_SUFFIX, ''))
      .filter((key) => !isUsed(key))
      .map((key) => `${namespace}:${key}`),
  );
  expect([...new Set(unused)]).toEqual([]);
});

it('every exception for texts that equal the English ones is needed', () => {
  const stale = locales.flatMap(({ code }) =>
    (SAME_AS_ENGLISH[code] ?? []).filter((key) => {
      const [namespace = '', name = ''] = key.split(':');
      return textsOf(code, namespace)[name] !== english[namespace]?.[name];
    }),
  );
  expect(stale).toEqual([]);
});

/** Whether the source contains the key, or a template literal that begins with a part of it. */
function isUsed(key: string): boolean {
  const parts = key.split('.');
  const beginnings = parts
    .map((_, index) => `${parts.slice(0, index).join('.')}${index ? '.' : ''}`)
    .filter(Boolean);
  return source.some(
    (text) =>
      new RegExp(`['"\`]([a-z-]+:)?${escapeRegExp(key)}['"\`]`).test(text) ||
      beginnings.some((beginning) => text.includes(`\`${beginning}\${`)),
  );
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function placeholders(text: string): string[] {
  return [...new Set(text.match(/\{\{.*?\}\}|<\/?\w+>/g) ?? [])].sort();
}

function textsOf(code: LocaleCode, namespace: string): Texts {
  return flatten(JSON.parse(readFileSync(join(DIRECTORY, code, `${namespace}.json`), 'utf8')));
}

function flatten(value: Record<string, unknown>, prefix = ''): Texts {
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, child]) =>
      typeof child === 'string'
        ? { [prefix + key]: child }
        : flatten(child as Record<string, unknown>, `${prefix}${key}.`),
    ),
  );
}

function sourceFiles(path: string): string[] {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(path, file));
}
