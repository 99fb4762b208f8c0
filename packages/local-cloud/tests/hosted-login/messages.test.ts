import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createTranslator, languageNames, languages } from '../../hosted-login/messages.ts';

const folder = new URL('../../hosted-login/', import.meta.url);
const read = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`messages/${language}.json`, folder), 'utf8'));
const placeholders = (text = '') => (text.match(/\{\w+\}/g) ?? []).sort();
const english = read('en');

/** Messages whose translation is the same as the English text. */
const sameAsEnglish: Record<string, string[]> = {
  de: ['code'],
  fr: ['code'],
  id: ['email'],
  it: ['email', 'password'],
};

describe('the messages of the hosted login', () => {
  test('exist in the languages that Cognito’s managed login supports', () => {
    expect([...languages].sort()).toEqual(
      ['de', 'en', 'es', 'fr', 'id', 'it', 'ja', 'ko', 'pt-BR', 'zh-CN', 'zh-TW'].sort(),
    );
    expect(readdirSync(new URL('messages/', folder)).sort()).toEqual(
      Object.keys(languageNames)
        .map((language) => `${language}.json`)
        .sort(),
    );
  });

  test.each(languages.filter((language) => language !== 'en'))(
    'are complete and translated in %s',
    (language) => {
      const messages = read(language);
      expect(Object.keys(messages)).toEqual(Object.keys(english));
      for (const [key, text] of Object.entries(messages)) {
        expect(text.trim(), key).not.toBe('');
        expect(placeholders(text), key).toEqual(placeholders(english[key]));
      }
      const untranslated = Object.keys(messages).filter((key) => messages[key] === english[key]);
      expect(untranslated).toEqual(sameAsEnglish[language] ?? []);
    },
  );

  test('are all used', () => {
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.tsx?$/.test(name) && name !== 'messages.ts',
    );
    const source = sources.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
    const unused = Object.keys(english).filter((key) => !new RegExp(`['"]${key}['"]`).test(source));
    expect(unused).toEqual([]);
  });

  test('insert values unchanged, including dollar signs', () => {
    expect(createTranslator('en')('codeSent', { email: '$&@example.com' })).toBe(
      'We sent a 6-digit code to $&@example.com.',
    );
  });
});
