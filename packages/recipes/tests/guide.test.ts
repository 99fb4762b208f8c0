import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readRecipe } from '../guide.ts';

/** The files that a recipe changes or creates, and its commands. `npm run recipes` shows that nothing is missing. */
function editsOf(title: string): string[] {
  const edits = readRecipe(readFileSync('docs/make-it-yours.md', 'utf8'), title);
  return edits.map((edit) => {
    if (edit.type === 'remove-translations') return edit.keys.join(' ');
    return edit.type === 'commands' ? edit.commands.trim() : edit.path;
  });
}

it('a new page touches the list of pages, its own folder and texts', () => {
  expect(editsOf('Add a page')).toEqual([
    'app/pages.ts',
    'app/pages/about/about.tsx',
    'public/locales/{locale}/about.json',
    'public/locales/{locale}/common.json',
  ]);
});

it('a new language touches the lists of locales and number symbols, and its own texts', () => {
  expect(editsOf('Add a language')).toEqual([
    'app/i18n/locales.ts',
    'app/i18n/number-symbols.ts',
    'cp -R public/locales/en public/locales/nl',
  ]);
});
