import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generateConfigurations } from '../shared-caches/main.ts';

it.each(generateConfigurations())('$path equals the output of `npm run edge:config`', ({ path, text }) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});
