/**
 * The command `npm run texts:review`. It lists the translations that have not been compared with the current English
 * text. `npm run texts:review -- fr de` marks those of French and German as reviewed, and `-- all` those of all languages.
 */
import {
  findOutdated,
  markReviewed,
  REVIEWS,
  readEnglishHashes,
  readReviews,
  translatedLocales,
  writeReviews,
} from './reviews.ts';

const requested = process.argv.slice(2);
const unknown = requested.filter(
  (name) => name !== 'all' && !translatedLocales.some((code) => code === name),
);
if (unknown.length > 0) {
  console.error(`Unknown language: ${unknown.join(', ')}. Use ${translatedLocales.join(', ')} or all.`);
  process.exit(1);
}

const english = readEnglishHashes('public/locales');
const reviewed = requested.includes('all') ? translatedLocales : requested;
const reviews = markReviewed(english, readReviews(REVIEWS), reviewed);
if (reviewed.length > 0) writeReviews(REVIEWS, reviews);
const outdated = findOutdated(english, reviews);
for (const { key, locale } of outdated) console.log(`${locale}  ${key}`);
console.log(
  outdated.length === 0 ? 'All translations are reviewed.' : `${outdated.length} translations to review.`,
);
