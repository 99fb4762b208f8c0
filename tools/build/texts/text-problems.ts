/** What is wrong with the translations of a site: each problem is a sentence that names the file and the key. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defaultLocale, type Locale, locales } from '../../../app/i18n/locales.ts';
import { parseFile } from './parse-file.ts';

const PLURAL_SUFFIX = /_(zero|one|two|few|many|other)$/;
const PLACEHOLDER_OR_TAG = /\{\{.*?\}\}|<\/?\w+>/g;

/** The texts of a file by key, such as `nav.label`. */
type Texts = ReadonlyMap<string, string>;

/**
 * The problems of `{directory}/{locale}/{namespace}.json` for every locale: a missing or superfluous file, a syntax error,
 * a key, plural form or placeholder that the English file has and the translation lacks, and the reverse.
 */
export function findTextProblems(directory: string): string[] {
  const english = join(directory, defaultLocale.code);
  const names = jsonFiles(english);
  const problems: string[] = [];
  for (const locale of locales) {
    const folder = join(directory, locale.code);
    for (const name of jsonFiles(folder).filter((file) => !names.includes(file))) {
      problems.push(`${join(folder, name)}: There is no ${join(english, name)}.`);
    }
    for (const name of names) {
      problems.push(...problemsOfFile(join(folder, name), join(english, name), locale));
    }
  }
  return problems;
}

function jsonFiles(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : [];
}

function problemsOfFile(place: string, englishPlace: string, locale: Locale): string[] {
  if (!existsSync(place)) return [`${place} is missing.`];
  try {
    const texts = readTexts(place);
    // A syntax error of the English file is reported for that file alone.
    const english = place === englishPlace ? texts : readTextsOrNothing(englishPlace);
    if (!english) return [];
    return [
      ...keyProblems(texts, formsOf(english, locale), place, englishPlace),
      ...[...texts].flatMap(([key, text]) => textProblems(key, text, english, place)),
    ];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Reads a file of texts. Throws an error that names the file, and the key of a value that is not a text. */
function readTexts(place: string): Texts {
  const texts = new Map<string, string>();
  const add = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      texts.set(key, value);
    } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [name, inner] of Object.entries(value)) add(inner, key ? `${key}.${name}` : name);
    } else {
      throw new Error(`${place}, key "${key}": The value is not a text.`);
    }
  };
  add(parseFile(place), '');
  return texts;
}

function readTextsOrNothing(place: string): Texts | null {
  try {
    return readTexts(place);
  } catch {
    return null;
  }
}

/** The keys that a translation needs. A text with plural forms needs all those of the language. */
function formsOf(english: Texts, { iso }: Locale): Set<string> {
  const forms = new Intl.PluralRules(iso).resolvedOptions().pluralCategories;
  const keys = [...english.keys()].flatMap((key) =>
    PLURAL_SUFFIX.test(key) ? forms.map((form) => key.replace(PLURAL_SUFFIX, `_${form}`)) : [key],
  );
  return new Set(keys);
}

function keyProblems(
  texts: Texts,
  needed: ReadonlySet<string>,
  place: string,
  englishPlace: string,
): string[] {
  const missing = [...needed].filter((key) => !texts.has(key));
  const superfluous = [...texts.keys()].filter((key) => !needed.has(key));
  return [
    ...missing.map((key) => `${place}, key "${key}": The text is missing.`),
    ...superfluous.map((key) => `${place}, key "${key}": ${englishPlace} has no such text.`),
  ];
}

function textProblems(key: string, text: string, english: Texts, place: string): string[] {
  const where = `${place}, key "${key}"`;
  if (text.trim() === '') return [`${where}: The text is empty.`];
  const englishText = english.get(key) ?? english.get(key.replace(PLURAL_SUFFIX, '_other'));
  if (englishText === undefined) return [];
  const own = placeholdersAndTags(text);
  const expected = placeholdersAndTags(englishText);
  // A plural form for a single number may spell the number out.
  const isOptional = (name: string) => name === '{{count}}' && /_(zero|one|two)$/.test(key);
  const missing = expected.filter((name) => !own.includes(name) && !isOptional(name));
  const unknown = own.filter((name) => !expected.includes(name));
  return [
    ...missing.map((name) => `${where}: ${name} of the English text is missing.`),
    ...unknown.map((name) => `${where}: The English text has no ${name}.`),
  ];
}

function placeholdersAndTags(text: string): string[] {
  return [...new Set(text.match(PLACEHOLDER_OR_TAG) ?? [])];
}
