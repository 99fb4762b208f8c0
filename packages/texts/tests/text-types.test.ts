import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generateTextTypes, TEXT_TYPES } from '../text-types.ts';

it('the committed file equals the output of `npm run texts:types`', () => {
  expect(readFileSync(TEXT_TYPES, 'utf8')).toBe(generateTextTypes('public/locales'));
});
