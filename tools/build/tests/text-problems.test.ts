import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, describe, expect, it } from 'vitest';
import { locales } from '../../../app/i18n/locales.ts';
import { another, other } from '../../../tests/support/this-site.ts';
import { findTextProblems } from '../texts/text-problems.ts';
import { checkedTexts } from '../vite-plugins/checked-texts.ts';

const folder = mkdtempSync(join(tmpdir(), 'text-problems-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes two files of texts in every language of the site. */
function writtenLocales(): string {
  const directory = mkdtempSync(join(folder, 'locales-'));
  for (const { code, iso } of locales) {
    const forms = new Intl.PluralRules(iso).resolvedOptions().pluralCategories;
    const texts = {
      title: 'Start',
      note: 'Read <em>this</em> first.',
      ...Object.fromEntries(forms.map((form) => [`files_${form}`, '{{count}} files'])),
    };
    mkdirSync(join(directory, code));
    for (const name of ['start.json', 'end.json'])
      writeFileSync(join(directory, code, name), JSON.stringify(texts, null, 2));
  }
  return directory;
}

/** Those files, one of which has been changed. */
function changedLocales(file: string, change: (content: string) => string): string {
  const directory = writtenLocales();
  const path = join(directory, file);
  const content = readFileSync(path, 'utf8');
  const changed = change(content);
  expect(changed).not.toBe(content);
  writeFileSync(path, changed);
  return directory;
}

/** Adds a text at the beginning of a file. */
const withText = (key: string, text: string) => (content: string) =>
  content.replace('{', `{ "${key}": "${text}",`);
const withoutText = (key: string) => (content: string) =>
  JSON.stringify({ ...JSON.parse(content), [key]: undefined });

describe('a problem names the file and the key', () => {
  it.each([
    ['a text that is missing', withoutText('title'), 'key "title": The text is missing.'],
    ['a plural form that is missing', withoutText('files_other'), 'key "files_other": The text is missing.'],
    [
      'a text that English does not have',
      withText('titel', 'Anfang'),
      /key "titel": .+en\/start\.json has no such text\./,
    ],
    [
      'a placeholder that English does not have',
      (content: string) => content.replace('Start', 'Start {{name}}'),
      'key "title": The English text has no {{name}}.',
    ],
    [
      'a placeholder that is missing',
      (content: string) => content.replaceAll('{{count}}', 'n'),
      /key "[\w.]+": \{\{count\}\} of the English text is missing\./,
    ],
    [
      'a tag that is not closed',
      (content: string) => content.replace('</em>', ''),
      /key "[\w.]+": <\/em> of the English text is missing\./,
    ],
    [
      'an empty text',
      (content: string) => content.replace(/"title": ".*"/, '"title": " "'),
      'key "title": The text is empty.',
    ],
    [
      'a value that is not a text',
      (content: string) => content.replace(/"title": ".*"/, '"title": 5'),
      'key "title": The value is not a text.',
    ],
  ])('%s', (_name, change, problem) => {
    const file = `${other.code}/start.json`;
    const directory = changedLocales(file, change);
    const [first = '', ...others] = findTextProblems(directory);
    expect(first).toContain(join(directory, file));
    expect(first).toMatch(problem);
    // A plural text has the same mistake in several forms.
    for (const more of others) expect(more).toContain(join(directory, file));
  });

  it.each(['en/start.json', `${another.code}/end.json`])('a syntax error in %s', (file) => {
    const directory = changedLocales(file, (content) => content.replace('{', '{,'));
    expect(findTextProblems(directory)).toEqual([
      expect.stringContaining(`${join(directory, file)} is not valid JSON: `),
    ]);
  });

  it('a file that is missing, and one that English does not have', () => {
    const directory = writtenLocales();
    rmSync(join(directory, other.code, 'start.json'));
    writeFileSync(join(directory, other.code, 'more.json'), '{}');
    expect(findTextProblems(directory)).toEqual([
      `${join(directory, other.code, 'more.json')}: There is no ${join(directory, 'en/more.json')}.`,
      `${join(directory, other.code, 'start.json')} is missing.`,
    ]);
  });
});

it('a build with a problem fails and names the file and the key', async () => {
  const directory = changedLocales(`${other.code}/start.json`, withoutText('title'));
  const failed = build({ configFile: false, logLevel: 'silent', plugins: [checkedTexts(directory)] });
  await expect(failed).rejects.toThrow(
    `${join(directory, other.code, 'start.json')}, key "title": The text is missing.`,
  );
});
