import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LocaleCode, locales } from '~/i18n/locales.ts';
import { findTextProblems } from '../tools/build/texts/text-problems.ts';

const DIRECTORY = 'public/locales';
const PLURAL_SUFFIX = /_(zero|one|two|few|many|other)$/;

/** Texts that are correct although they equal the English ones: names, and words that both languages share. */
const SAME_AS_ENGLISH: Partial<Record<LocaleCode, readonly string[]>> = JSON.parse(
  readFileSync('tests/fixtures/same-as-english.json', 'utf8'),
);

/** Texts that are still to be translated: names of files, and beginnings of keys. */
const notTranslated = readFileSync('tests/fixtures/not-translated.txt', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

const english = textsOf('en');

it('every language has the texts of English, with their plural forms, placeholders and tags', () => {
  expect(findTextProblems(DIRECTORY)).toEqual([]);
});

describe.each(locales)('$name', ({ code }) => {
  const texts = textsOf(code);

  it('has no spaces around a text', () => {
    expect([...texts].filter(([, text]) => text !== text.trim())).toEqual([]);
  });

  it.runIf(code !== 'en')('has no untranslated text', () => {
    const allowed = new Set(SAME_AS_ENGLISH[code] ?? []);
    const same = sameAsEnglish(texts);
    expect(same.filter((key) => !allowed.has(key) && !isNoted(key))).toEqual([]);
  });

  it('needs every exception for texts that equal the English ones', () => {
    const exceptions = SAME_AS_ENGLISH[code] ?? [];
    expect(exceptions.filter((key) => texts.get(key) !== english.get(key))).toEqual([]);
  });
});

it('every note about texts that are not translated is true', () => {
  const translations = locales.filter(({ code }) => code !== 'en');
  const noted = translations.map(({ code }) => ({
    code,
    keys: sameAsEnglish(textsOf(code)).filter(isNoted),
  }));
  const counts = noted
    .filter(({ keys }) => keys.length > 0)
    .map(({ code, keys }) => `${code} ${keys.length}`);
  if (counts.length > 0) console.log(`Texts that are not translated: ${counts.join(', ')}`);
  const keys = noted.flatMap((language) => language.keys);
  expect(notTranslated.filter((note) => !keys.some((key) => isPartOf(note, key)))).toEqual([]);
});

it('every text is used', () => {
  const source = ['app', 'server.ts'].flatMap(sourceFiles).map((file) => readFileSync(file, 'utf8'));
  /** Whether the source contains the key, or a template literal that begins with a part of it. */
  const isUsed = (key: string) => {
    const parts = key.split('.');
    const beginnings = parts.slice(1).map((_part, index) => `${parts.slice(0, index + 1).join('.')}.`);
    const literal = new RegExp(`['"\`]([a-z-]+:)?${key.replaceAll('.', '\\.')}['"\`]`);
    return source.some(
      (text) => literal.test(text) || beginnings.some((beginning) => text.includes(`\`${beginning}\${`)),
    );
  };
  const keys = [...english.keys()].map((key) => key.replace(PLURAL_SUFFIX, ''));
  expect(keys.filter((key) => !isUsed(key.slice(key.indexOf(':') + 1)))).toEqual([]);
});

/** The keys of the texts with words that equal the English ones. */
function sameAsEnglish(texts: ReadonlyMap<string, string>): string[] {
  const same = [...texts].filter(
    ([key, text]) => text === english.get(key) && /\p{L}{2}/u.test(text.replace(/\{\{.*?\}\}/g, '')),
  );
  return same.map(([key]) => key);
}

function isNoted(key: string): boolean {
  return notTranslated.some((note) => isPartOf(note, key));
}

/** Whether a note names the text, its file, or what is above it. */
function isPartOf(note: string, key: string): boolean {
  return key === note || key.startsWith(`${note}:`) || key.startsWith(`${note}.`);
}

/** The texts of a language by key, such as `common:nav.label`. */
function textsOf(code: LocaleCode): ReadonlyMap<string, string> {
  const folder = join(DIRECTORY, code);
  return new Map(
    readdirSync(folder).flatMap((file) => {
      const texts: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      return flatten(texts, `${file.replace(/\.json$/, '')}:`);
    }),
  );
}

function flatten(value: unknown, key: string): [string, string][] {
  if (typeof value === 'string') return [[key, value]];
  const prefix = key.endsWith(':') ? key : `${key}.`;
  return Object.entries(value ?? {}).flatMap(([name, child]) => flatten(child, prefix + name));
}

function sourceFiles(path: string): string[] {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(path, file));
}
