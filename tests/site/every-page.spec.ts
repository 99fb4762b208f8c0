/** Every page in every language: its response, its metadata, its width, its large text, and the weights of its texts. */
import type { Page } from '@playwright/test';
import { type Locale, locales, localizePath } from '../../app/i18n/locales.ts';
import { pathOf } from '../../app/i18n/localized-page.ts';
import type { Page as SitePage } from '../../app/pages.ts';
import { siteName } from '../../app/site-name.ts';
import { expect, test } from '../e2e/support/fixtures.ts';
import { textsInOtherWeights } from '../e2e/support/font-weights.ts';
import { expectPageToFit } from '../e2e/support/page-overflow.ts';
import { translationsOf } from '../e2e/support/translations.ts';
import { openPages } from '../support/localized-pages.ts';
import { examplePath } from '../support/this-site.ts';

const rawKeyOrPlaceholder = /\b(?:nav|error|call|list|compose|signInError)\.[a-z]\w*|\{\{/;

async function expectComplete(
  page: Page,
  { name, namespace }: SitePage,
  { path, locale }: { path: string; locale: Locale },
) {
  const metadata = await page.evaluate(() => ({
    lang: document.documentElement.lang,
    dir: document.documentElement.dir,
    mainHeadings: document.querySelectorAll('h1').length,
    canonical: [...document.querySelectorAll('link[rel="canonical"]')].map((link) =>
      link.getAttribute('href'),
    ),
    alternates: document.querySelectorAll('link[rel="alternate"][hreflang]').length,
  }));
  expect.soft(metadata, path).toEqual({
    lang: locale.iso,
    dir: locale.dir,
    mainHeadings: 1,
    canonical: [expect.stringMatching(new RegExp(`${path}$`))],
    alternates: locales.length + 1,
  });
  const title = `${translationsOf(locale.code)(`${namespace}:title`)} · ${siteName}`;
  if (name !== 'index') expect.soft(await page.title(), path).toBe(title);
  const body = page.locator('body');
  await expect.soft(body, path).not.toContainText(rawKeyOrPlaceholder, { useInnerText: true });
}

/** Asserts that no text of the page, also in closed menus, has a weight that its font file does not have. */
async function expectOwnWeights(page: Page): Promise<void> {
  await page.locator('details').evaluateAll((menus) => {
    for (const menu of menus) menu.setAttribute('open', '');
  });
  expect.soft(await textsInOtherWeights(page), page.url()).toEqual([]);
}

/** The default size of text in a browser's settings, in pixels. */
const DEFAULT_TEXT_SIZE = 16;

/** Returns the function that sets the size of text in the browser's settings, for this page and later ones. */
async function createTextSize(page: Page): Promise<(standard: number) => Promise<unknown>> {
  const devtools = await page.context().newCDPSession(page);
  return (standard) => devtools.send('Page.setFontSizes', { fontSizes: { standard } });
}

/** WCAG 2.2, 1.4.4: asserts that the page uses text of twice the default size, as visitors set it, and fits. */
async function expectLargeTextToFit(
  page: Page,
  setTextSize: (standard: number) => Promise<unknown>,
): Promise<void> {
  await setTextSize(2 * DEFAULT_TEXT_SIZE);
  const size = () => page.evaluate(() => Number.parseFloat(getComputedStyle(document.body).fontSize));
  await expect.poll(size, page.url()).toBe(2 * DEFAULT_TEXT_SIZE);
  await expectPageToFit(page, { width: 1280, height: 800 });
  await setTextSize(DEFAULT_TEXT_SIZE);
  await expect.poll(size, page.url()).toBe(DEFAULT_TEXT_SIZE);
}

for (const locale of locales) {
  test(`every page in ${locale.name} is complete, fits its window, also with large text, and has the weights of its styles`, async ({
    page,
  }) => {
    const setTextSize = await createTextSize(page);
    for (const sitePage of openPages) {
      const path = pathOf(sitePage, locale);
      await page.setViewportSize({ width: 360, height: 740 });
      const response = await page.goto(path);
      expect.soft(response?.status(), path).toBe(200);
      await expectComplete(page, sitePage, { path, locale });
      await expectPageToFit(page, { width: 360, height: 740 });
      await expectPageToFit(page, { width: 320, height: 640 });
      await expectLargeTextToFit(page, setTextSize);
      await expectOwnWeights(page);
    }
    for (const path of ['/nowhere', `${examplePath()}?weight=700`]) {
      await page.goto(localizePath(path, locale));
      await expectPageToFit(page, { width: 320, height: 640 });
      if (path === '/nowhere') await expectLargeTextToFit(page, setTextSize);
      await expectOwnWeights(page);
    }
  });
}
