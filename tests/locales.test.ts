import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultLocale, type LocaleCode, locales } from '~/i18n/locales.ts';

const DIRECTORY = 'public/locales';
const PLURAL_SUFFIX = /_(zero|one|two|few|many|other)$/;

/** Texts that are rightly the same as in English: names, and words that the language shares. */
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

  it('has the namespaces of English and no others', () => {
    const files = readdirSync(join(DIRECTORY, code)).map((file) => file.replace(/\.json$/, ''));
    expect(files.sort()).toEqual([...namespaces].sort());
  });

  it.each(namespaces)(
    'says everything that English says in %s, in each plural form that it needs',
    (namespace) => {
      const needed = Object.keys(english[namespace] ?? {}).flatMap((key) =>
        PLURAL_SUFFIX.test(key)
          ? categories.map((category) => key.replace(PLURAL_SUFFIX, `_${category}`))
          : [key],
      );
      expect(Object.keys(textsOf(code, namespace)).sort()).toEqual([...new Set(needed)].sort());
    },
  );

  it.each(namespaces)('keeps every placeholder and tag of %s and has no empty text', (namespace) => {
    for (const [key, text] of Object.entries(textsOf(code, namespace))) {
      expect(text.trim(), key).not.toBe('');
      expect(text, key).toBe(text.trim());
      const model =
        english[namespace]?.[key] ?? english[namespace]?.[key.replace(PLURAL_SUFFIX, '_other')] ?? '';
      // A form that stands for one number may write that number as a word.
      const optional = /_(zero|one|two)$/.test(key) ? ['{{count}}'] : [];
      const missing = placeholders(model).filter((name) => !placeholders(text).includes(name));
      expect(
        missing.filter((name) => !optional.includes(name)),
        `${key} lost`,
      ).toEqual([]);
      expect(
        placeholders(text).filter((name) => !placeholders(model).includes(name)),
        `${key} invented`,
      ).toEqual([]);
    }
  });

  it.runIf(code !== 'en').each(namespaces)('leaves nothing of %s in English', (namespace) => {
    const same = Object.entries(textsOf(code, namespace)).filter(
      ([key, text]) =>
        text === english[namespace]?.[key] && /\p{L}{2}/u.test(text.replace(/\{\{.*?\}\}/g, '')),
    );
    const allowed = new Set(SAME_AS_ENGLISH[code] ?? []);
    expect(same.map(([key]) => `${namespace}:${key}`).filter((key) => !allowed.has(key))).toEqual([]);
  });
});

it('has no text that nothing uses', () => {
  const unused = namespaces.flatMap((namespace) =>
    Object.keys(english[namespace] ?? {})
      .map((key) => key.replace(PLURAL_SUFFIX, ''))
      .filter((key) => !isUsed(key))
      .map((key) => `${namespace}:${key}`),
  );
  expect([...new Set(unused)]).toEqual([]);
});

it('allows no text to stay English that is not in the languages', () => {
  const stale = Object.entries(SAME_AS_ENGLISH).flatMap(([code, keys]) =>
    (keys ?? []).filter((key) => {
      const [namespace = '', name = ''] = key.split(':');
      return textsOf(code as LocaleCode, namespace)[name] !== english[namespace]?.[name];
    }),
  );
  expect(stale).toEqual([]);
});

/** A key is used where it stands whole, or where a template gives its beginning and fills in the rest. */
function isUsed(key: string): boolean {
  const parts = key.split('.');
  const beginnings = parts
    .map((_, index) => `${parts.slice(0, index).join('.')}${index ? '.' : ''}`)
    .filter(Boolean);
  return source.some(
    (text) =>
      new RegExp(`['"\`]([a-z-]+:)?${literally(key)}['"\`]`).test(text) ||
      beginnings.some((beginning) => text.includes(`\`${beginning}\${`)),
  );
}

function literally(text: string): string {
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
