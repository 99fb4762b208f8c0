/** Texts of the kept languages, and what tests note about them. */
import { readdirSync } from 'node:fs';
import { edit, editJson, type Json, remove } from './tree.ts';

const LOCALES = 'public/locales';
const SAME_AS_ENGLISH = 'tests/fixtures/same-as-english.json';

const keptLanguages = (): string[] => readdirSync(LOCALES);

/** Removes a text, or with everything below it a part of the texts: `namespace:key`. A name without key is a file. */
export function removeTexts(name: string): void {
  const [namespace = '', key] = name.split(':');
  for (const language of keptLanguages()) {
    const file = `${LOCALES}/${language}/${namespace}.json`;
    if (key === undefined) remove(file);
    else editJson<Json>(file, (texts) => removeKey(texts, key.split('.')));
  }
  editJson<Record<string, string[]>>(SAME_AS_ENGLISH, (exceptions) => {
    for (const [language, keys] of Object.entries(exceptions)) {
      exceptions[language] = keys.filter((text) => text !== name && !/^[:.]/.test(afterPrefix(text, name)));
    }
  });
}

function afterPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : '';
}

function removeKey(texts: Json, [key = '', ...rest]: readonly string[]): void {
  const inner = texts[key];
  if (inner === undefined) throw new Error(`There is no text ${key}.`);
  if (rest.length > 0 && typeof inner === 'object') removeKey(inner, rest);
  else delete texts[key];
}

/** Writes the file of a namespace in every kept language. */
export function writeTexts(namespace: string, textsOf: (language: string) => Json): void {
  for (const language of keptLanguages()) {
    const file = `${LOCALES}/${language}/${namespace}.json`;
    edit(file, () => `${JSON.stringify(textsOf(language), null, 2)}\n`);
  }
}

/** Changes the texts of a namespace in every kept language. */
export function changeTexts(namespace: string, change: (texts: Json, language: string) => void): void {
  for (const language of keptLanguages()) {
    editJson<Json>(`${LOCALES}/${language}/${namespace}.json`, (texts) => change(texts, language));
  }
}
