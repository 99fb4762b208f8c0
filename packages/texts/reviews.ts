/**
 * Which English text each translation was last compared with. `reviewed-texts.json` has the hash of the English text for
 * every key, or, while some languages have not been reviewed, one hash for each language.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultLocale, locales } from '../../app/i18n/locales.ts';

/** The file below the folder of the translations' tests. */
export const REVIEWS = 'tests/fixtures/reviewed-texts.json';

/** By key, such as `common:nav.label`. */
type Reviews = Record<string, string | Record<string, string>>;
type Outdated = { key: string; locale: string };

export const translatedLocales = locales
  .map(({ code }) => code)
  .filter((code) => code !== defaultLocale.code);

/** The first eight digits of the hash of a text. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** The hashes of all English texts by key. Plural forms are separate texts. */
export function readEnglishHashes(directory: string): Map<string, string> {
  const folder = join(directory, defaultLocale.code);
  const hashes = new Map<string, string>();
  for (const file of readdirSync(folder).sort()) {
    const namespace = file.replace(/\.json$/, '');
    for (const [key, text] of textsIn(JSON.parse(readFileSync(join(folder, file), 'utf8')))) {
      hashes.set(`${namespace}:${key}`, hashOf(text));
    }
  }
  return hashes;
}

function* textsIn(value: unknown, key = ''): Generator<[string, string]> {
  if (typeof value === 'string') yield [key, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* textsIn(inner, key ? `${key}.${name}` : name);
}

export function readReviews(path: string): Reviews {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** The translations that were reviewed with another English text, or never. */
export function findOutdated(english: ReadonlyMap<string, string>, reviews: Reviews): Outdated[] {
  return [...english].flatMap(([key, hash]) =>
    translatedLocales
      .filter((locale) => reviewedHash(reviews[key], locale) !== hash)
      .map((locale) => ({ key, locale })),
  );
}

function reviewedHash(review: Reviews[string] | undefined, locale: string): string | undefined {
  return typeof review === 'object' ? review[locale] : review;
}

/** The reviews after those languages have been compared with the English texts. Keys without a text are left out. */
export function markReviewed(
  english: ReadonlyMap<string, string>,
  reviews: Reviews,
  reviewed: readonly string[],
): Reviews {
  const marked = [...english].map(([key, hash]): [string, Reviews[string]] => {
    const byLocale = translatedLocales.map((locale): [string, string] => [
      locale,
      reviewed.includes(locale) ? hash : (reviewedHash(reviews[key], locale) ?? ''),
    ]);
    const isComplete = byLocale.every(([, known]) => known === hash);
    return [key, isComplete ? hash : Object.fromEntries(byLocale)];
  });
  return Object.fromEntries(marked);
}

export function writeReviews(path: string, reviews: Reviews): void {
  writeFileSync(path, `${JSON.stringify(reviews, null, 2)}\n`);
}
