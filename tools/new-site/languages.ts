/** Removes languages: their lines in the list, their texts, and what tests note about them. */
import { editJson, remove, removeLines } from './tree.ts';

const SAME_AS_ENGLISH = 'tests/fixtures/same-as-english.json';

export function removeLanguages(codes: readonly string[]): void {
  if (codes.length === 0) return;
  removeLines('app/i18n/locales.ts', ...codes.map((code) => `{ code: '${code}', `));
  for (const code of codes) remove(`public/locales/${code}`);
  editJson<Record<string, string[]>>(SAME_AS_ENGLISH, (texts) => {
    for (const code of codes) delete texts[code];
  });
}
