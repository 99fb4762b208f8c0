import { expect, it } from 'vitest';
import { sourceFileUrl } from '../../../../app/components/site/site-links.ts';

it.each([
  ['https://github.com/ada/site', 'https://github.com/ada/site/blob/HEAD/app/pages.ts'],
  ['https://gitlab.com/team/web/site', 'https://gitlab.com/team/web/site/-/blob/HEAD/app/pages.ts'],
  ['https://code.example/ada/site', 'https://code.example/ada/site'],
])('a file of the repository %s is at %s', (source, address) => {
  expect(sourceFileUrl(source, 'app/pages.ts')).toBe(address);
});
