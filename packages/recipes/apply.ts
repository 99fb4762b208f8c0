/** Applies the edits of a recipe to a copy of the repository. An edit that does not fit throws. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Edit, type Hunk, readRecipe } from './guide.ts';
import type { Recipe } from './recipe.ts';

const LOCALES = 'public/locales';
const ENGLISH = 'en';

/** Applies the edits of the recipe's section in docs/make-it-yours.md. */
export function applyRecipe(copy: string, { title, newLocale }: Recipe): void {
  const guide = readFileSync('docs/make-it-yours.md', 'utf8');
  for (const edit of readRecipe(guide, title)) applyEdit(copy, edit);
  if (newLocale) translateFolder(copy, newLocale);
}

function applyEdit(copy: string, edit: Edit): void {
  if (edit.type === 'commands') {
    execFileSync('bash', ['-euo', 'pipefail', '-c', edit.commands], { cwd: copy, stdio: 'pipe' });
  } else if (edit.type === 'remove-translations') {
    for (const name of edit.keys) {
      for (const locale of localesOf(copy)) removeTranslations(copy, locale, name);
      removeExceptions(copy, name);
    }
  } else if (!edit.path.includes('{locale}')) {
    editFile(copy, edit.path, edit, null);
  } else {
    for (const locale of localesOf(copy)) {
      editFile(copy, edit.path.replace('{locale}', locale), edit, locale === ENGLISH ? null : locale);
    }
  }
}

/** Stands in for the translators of a new locale, whose folder is a copy of the English one. */
function translateFolder(copy: string, locale: string): void {
  const folder = join(copy, LOCALES, locale);
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    writeFileSync(path, markStrings(readFileSync(path, 'utf8'), locale));
  }
}

function editFile(
  copy: string,
  path: string,
  edit: Extract<Edit, { path: string }>,
  translateTo: string | null,
): void {
  const file = join(copy, path);
  const translated = (text: string) => (translateTo === null ? text : markStrings(text, translateTo));
  if (edit.type === 'file') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, translated(edit.text), { flag: 'wx' });
    return;
  }
  const change = (text: string, { before, after }: Hunk) =>
    replaceOnce(path, text, before, translated(after));
  writeFileSync(file, edit.hunks.reduce(change, readFileSync(file, 'utf8')));
}

function replaceOnce(path: string, text: string, before: string, after: string): string {
  const count = text.split(before).length - 1;
  if (before === '' || count !== 1) throw new Error(`${path} has this text ${count} times:\n${before}`);
  return text.replace(before, () => after);
}

/** Appends the locale to every string of a JSON text, so that it differs from the English one. */
function markStrings(json: string, locale: string): string {
  return json.replace(/": "(.*)"(?=,?$)/gm, (_, text) => `": "${text} [${locale}]"`);
}

/** Removes `namespace:key`, with all keys below it, or the file of a `namespace`. */
function removeTranslations(copy: string, locale: string, name: string): void {
  const [namespace = '', key] = name.split(':');
  const file = join(copy, LOCALES, locale, `${namespace}.json`);
  if (key === undefined) {
    rmSync(file);
    return;
  }
  const translations = JSON.parse(readFileSync(file, 'utf8'));
  const steps = key.split('.');
  const last = steps.pop() ?? '';
  const parent = steps.reduce((value, step) => value?.[step], translations);
  if (parent?.[last] === undefined) throw new Error(`${file} has no text ${key}.`);
  delete parent[last];
  writeFileSync(file, `${JSON.stringify(translations, null, 2)}\n`);
}

/** Removes the removed texts from the list of those that equal the English ones. */
function removeExceptions(copy: string, name: string): void {
  const file = join(copy, 'tests/fixtures/same-as-english.json');
  const isRemoved = (text: string) =>
    [':', '.'].some((sign) => text.startsWith(name + sign)) || text === name;
  const exceptions: Record<string, string[]> = JSON.parse(readFileSync(file, 'utf8'));
  for (const [locale, texts] of Object.entries(exceptions)) {
    exceptions[locale] = texts.filter((text) => !isRemoved(text));
  }
  writeFileSync(file, `${JSON.stringify(exceptions, null, 2)}\n`);
}

function localesOf(copy: string): string[] {
  return readdirSync(join(copy, LOCALES));
}
