import { describe, expect, it } from 'vitest';
import {
  findOutdated,
  markReviewed,
  REVIEWS,
  readEnglishHashes,
  readReviews,
  translatedLocales,
} from '../packages/texts/reviews.ts';

const english = readEnglishHashes('public/locales');
const committed = readReviews(REVIEWS);
const [reviewed = ''] = translatedLocales;
const reviews = markReviewed(english, {}, translatedLocales);

it('every translation has been compared with the current English text (npm run texts:review)', () => {
  expect(findOutdated(english, committed)).toEqual([]);
});

it('no review is of a text that does not exist any more', () => {
  expect(Object.keys(committed).filter((key) => !english.has(key))).toEqual([]);
});

describe('a new or changed English text', () => {
  const [[key] = ['']] = english;
  const changed = new Map([...english, [key, 'changed'], ['common:new', 'hash']]);

  it('makes its translation outdated in every language', () => {
    expect(findOutdated(changed, reviews)).toEqual(
      [key, 'common:new'].flatMap((each) => translatedLocales.map((locale) => ({ key: each, locale }))),
    );
  });

  it('is reviewed language by language', () => {
    const partly = markReviewed(changed, reviews, [reviewed]);
    expect(findOutdated(changed, partly).some(({ locale }) => locale === reviewed)).toBe(false);
    expect(findOutdated(changed, partly)).toHaveLength(2 * (translatedLocales.length - 1));
    expect(markReviewed(changed, partly, translatedLocales)[key]).toBe('changed');
  });
});
