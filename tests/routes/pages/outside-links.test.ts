/** The links to source code and documentation, with and without the variables that configure them. */
import { expect, it } from 'vitest';
import { defaultLocale } from '../../../app/i18n/locales.ts';
import { pathOf, plainPages } from '../../../app/i18n/localized-page.ts';
import { documentOf, inside, outsideLinks } from '../../support/http/outside-links.ts';
import { examplePath, other } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const SOURCE = 'https://github.com/ada/site';
const DOCS = 'https://docs.example/site';

const configured = setUpStack({ environment: { SOURCE_URL: SOURCE, DOCS_URL: DOCS } });
const plain = setUpStack();

it.each([examplePath(), examplePath(other)])('the footer of %s links to them', async (path) => {
  const links = outsideLinks(inside(await documentOf(configured, path), 'footer'));
  expect(links).toEqual([DOCS, SOURCE]);
});

it('without the variables the footer links to the licenses only, and to pages', async () => {
  const footer = inside(await documentOf(plain, examplePath()), 'footer');
  expect(outsideLinks(footer)).toEqual([]);
  expect(footer).toMatch(/<a href="\/licenses\.txt"[^>]*>Licenses<\/a>/);
  for (const page of plainPages.filter(({ linkedFrom }) => linkedFrom === 'footer'))
    expect(footer).toContain(`href="${pathOf(page, defaultLocale)}"`);
});
