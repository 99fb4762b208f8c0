import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { additions } from '../../../scripts/recipes/additions.ts';
import { applyRecipe } from '../../../scripts/recipes/apply.ts';
import { copyRepository, removeCopy } from '../../../scripts/recipes/copy.ts';
import { generateTextTypes, TEXT_TYPES } from '../../../scripts/texts-types.ts';

/** The hashes of all files of a copy by path. `node_modules` is a link and not followed. */
function hashesOf(copy: string): Map<string, string> {
  const files = readdirSync(copy, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(copy.length + 1), createHash('sha256').update(readFileSync(path)).digest('hex')];
    }),
  );
}

// `npm run recipes` also builds the copy and requests pages in the new language.
it('a new language touches at most three files outside public/locales', () => {
  const recipe = additions.find(({ newLocale }) => newLocale !== undefined);
  if (!recipe) throw new Error('The guide has no recipe for a language.');
  const copy = copyRepository();
  onTestFinished(() => removeCopy(copy));
  const before = hashesOf(copy);
  applyRecipe(copy, recipe);

  const after = hashesOf(copy);
  const files = new Set([...before.keys(), ...after.keys()]);
  const touched = [...files].filter((file) => before.get(file) !== after.get(file));
  const folder = `public/locales/${recipe.newLocale}/`;
  const others = touched.filter((file) => !file.startsWith(folder));
  expect(touched.length - others.length).toBe(readdirSync('public/locales/en').length);
  expect(others.filter((file) => file.startsWith('public/locales/'))).toEqual([]);
  expect(others.length).toBeGreaterThan(0);
  expect(others.length).toBeLessThanOrEqual(3);
  expect(generateTextTypes(join(copy, 'public/locales'))).toBe(readFileSync(TEXT_TYPES, 'utf8'));
});
