import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, describe, expect, it } from 'vitest';
import { checkedTexts } from '../../site-build/vite-plugins/checked-texts.ts';
import { findTextProblems } from '../text-problems.ts';

const folder = mkdtempSync(join(tmpdir(), 'text-problems-'));
afterAll(() => rmSync(folder, { recursive: true }));

function copiedLocales(): string {
  const copy = join(mkdtempSync(join(folder, 'copy-')), 'locales');
  cpSync('public/locales', copy, { recursive: true });
  return copy;
}

/** A copy of the translations in which one file has been changed. */
function changedLocales(file: string, change: (content: string) => string): string {
  const copy = copiedLocales();
  const path = join(copy, file);
  const content = readFileSync(path, 'utf8');
  const changed = change(content);
  expect(changed).not.toBe(content);
  writeFileSync(path, changed);
  return copy;
}

/** Adds a text at the beginning of a file. */
const withText = (key: string, text: string) => (content: string) =>
  content.replace('{', `{ "${key}": "${text}",`);
const withoutText = (key: string) => (content: string) =>
  content.replace(new RegExp(`"${key}": ".*",?\\n`), '');

it('the translations of the site have no problem', () => {
  expect(findTextProblems('public/locales')).toEqual([]);
});

describe('a problem names the file and the key', () => {
  it.each([
    ['a text that is missing', 'fr/home.json', withoutText('title'), 'key "title": The text is missing.'],
    [
      'a plural form that is missing',
      'ru/test-message.json',
      (content: string) => content.replace(/"(\w+)_few": ".*",?\n/, ''),
      /key "[\w.]+_few": The text is missing\./,
    ],
    [
      'a text that English does not have',
      'de/home.json',
      withText('titel', 'Startseite'),
      /key "titel": .+en\/home\.json has no such text\./,
    ],
    [
      'a placeholder that English does not have',
      'es/test-message.json',
      (content: string) => content.replace('{{count}}', '{{cuenta}}'),
      /key "[\w.]+": The English text has no \{\{cuenta\}\}\./,
    ],
    [
      'a placeholder that is missing',
      'pt/test-message.json',
      (content: string) => content.replaceAll('{{count}}', 'n'),
      /key "[\w.]+": \{\{count\}\} of the English text is missing\./,
    ],
    [
      'a tag that is not closed',
      'ja/typography-demo.json',
      (content: string) => content.replace('</em>', ''),
      /key "[\w.]+": <\/em> of the English text is missing\./,
    ],
    [
      'an empty text',
      'hi/home.json',
      (content: string) => content.replace(/"title": ".*"/, '"title": " "'),
      'key "title": The text is empty.',
    ],
    [
      'a value that is not a text',
      'zh/home.json',
      (content: string) => content.replace(/"title": ".*"/, '"title": 5'),
      'key "title": The value is not a text.',
    ],
  ])('%s', (_name, file, change, problem) => {
    const directory = changedLocales(file, change);
    const [first = '', ...others] = findTextProblems(directory);
    expect(first).toContain(join(directory, file));
    expect(first).toMatch(problem);
    // A plural text has the same mistake in several forms.
    for (const other of others) expect(other).toContain(join(directory, file));
  });

  it.each(['en/home.json', 'ar/common.json'])('a syntax error in %s', (file) => {
    const directory = changedLocales(file, (content) => content.replace('{', '{,'));
    expect(findTextProblems(directory)).toEqual([
      expect.stringContaining(`${join(directory, file)} is not valid JSON: `),
    ]);
  });

  it('a file that is missing, and one that English does not have', () => {
    const directory = copiedLocales();
    rmSync(join(directory, 'fr/home.json'));
    writeFileSync(join(directory, 'de/start.json'), '{}');
    expect(findTextProblems(directory)).toEqual([
      `${join(directory, 'fr/home.json')} is missing.`,
      `${join(directory, 'de/start.json')}: There is no ${join(directory, 'en/start.json')}.`,
    ]);
  });
});

it('a build with a problem fails and names the file and the key', async () => {
  const directory = changedLocales('fr/home.json', withoutText('title'));
  const failed = build({ configFile: false, logLevel: 'silent', plugins: [checkedTexts(directory)] });
  await expect(failed).rejects.toThrow(
    `${join(directory, 'fr/home.json')}, key "title": The text is missing.`,
  );
});
