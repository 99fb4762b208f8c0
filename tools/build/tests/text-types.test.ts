import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generateTextTypes, TEXT_TYPES } from '../texts/text-types.ts';

it('the committed types of the texts are those that a build writes', () => {
  expect(readFileSync(TEXT_TYPES, 'utf8')).toBe(generateTextTypes('public/locales'));
});
