/** The fonts that the browser renders text with, and the font files that it loads. */
import { setTimeout } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { locales } from '../../../app/i18n/locales.ts';
import { examplePage } from '../../support/this-site.ts';
import { expect, test } from '../support/fixtures.ts';
import { showLateFonts, waitForFonts } from '../support/shown-fonts.ts';

/** Returns the fonts that the browser used for the text of an element. */
async function fontsOf(page: Page, selector: string) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('DOM.enable');
  await devtools.send('CSS.enable');
  const { root } = await devtools.send('DOM.getDocument');
  const { nodeId } = await devtools.send('DOM.querySelector', { nodeId: root.nodeId, selector });
  const { fonts } = await devtools.send('CSS.getPlatformFontsForNode', { nodeId });
  return fonts;
}

/** Returns the families of these fonts. Those of the device are marked as local. */
async function fontFamilies(page: Page, selector: string) {
  const fonts = await fontsOf(page, selector);
  return fonts.map(({ familyName, isCustomFont }) => (isCustomFont ? familyName : `local ${familyName}`));
}

for (const path of ['/', '/fr', '/de/test-message', '/pt/typography-demo']) {
  test(`${path} uses the font families of the site`, async ({ page }) => {
    await showLateFonts(page);
    await page.goto(path);
    await waitForFonts(page);
    expect(await fontFamilies(page, 'h1')).toEqual([expect.stringMatching(/^Space Grotesk/)]);
    expect(await fontFamilies(page, 'h1 ~ p, h1 + *, header p')).toEqual([expect.stringMatching(/^DM Sans/)]);
    expect(await fontFamilies(page, 'nav a')).toEqual([expect.stringMatching(/^DM Sans/)]);
  });
}

for (const [path, name] of [
  ['/pt/typography-demo', /^DMSans.*Italic/],
  ['/ru/typography-demo', /^NotoSans.*Italic/],
] as const) {
  test(`emphasis uses the italic font file on ${path}`, async ({ page }) => {
    await page.goto(path);
    await waitForFonts(page);
    const fonts = await fontsOf(page, 'em');
    expect(fonts).toEqual([
      expect.objectContaining({ isCustomFont: true, postScriptName: expect.stringMatching(name) }),
    ]);
  });
}

/** Returns the names of the font files that the page has requested. */
async function loadedFiles(page: Page): Promise<string[]> {
  const loaded = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => /\/assets\/(.+)-.{8}\.woff2$/.exec(name)?.[1])
      .filter((name) => name !== undefined),
  );
  return loaded.sort();
}

const upright = ['dm-sans-latin', 'space-grotesk-latin'];
/** Pages in other scripts have few Latin characters. */
const basic = ['dm-sans-basic', 'space-grotesk-basic'];
/** The words of other languages in their own scripts, beside those of the page's language. */
const words = (namespace: string, ...codes: string[]) => codes.map((code) => `${code}-words-${namespace}`);
for (const [path, files] of Object.entries({
  '/': [...upright, ...words('home', 'ar', 'hi', 'ja', 'ru', 'zh')],
  '/fr/test-message': upright,
  '/ru/test-message': [...basic, 'ru-text'],
  '/zh/test-message': [...basic, 'zh-text', 'zh-text-test-message', 'zh-bold', 'zh-bold-test-message'],
  '/ar/typography-demo': [...basic, 'ar-text'],
  '/fr/typography-demo': [...upright, 'dm-sans-latin-italic'],
})) {
  test(`${path} loads exactly the font files that its characters need`, async ({ page }) => {
    await page.goto(path);
    await waitForFonts(page);
    expect(await loadedFiles(page)).toEqual([...files].sort());
  });
}

test('font files that arrive late do not make the page load others', async ({ page }) => {
  await page.route(/-basic-[^/]+\.woff2$/, async (route) => {
    await setTimeout(500);
    await route.continue();
  });
  await page.goto('/ru/test-message');
  await waitForFonts(page);
  expect(await loadedFiles(page)).toEqual([...basic, 'ru-text'].sort());
});

test('the files for the sentence in all languages load when it is near', async ({ page }) => {
  await page.goto('/ar/typography-demo');
  await waitForFonts(page);
  await page.locator('[data-words="typography-demo"]').scrollIntoViewIfNeeded();
  await waitForFonts(page);
  const near = [...basic, 'ar-text', ...words(examplePage.name, 'hi', 'ja', 'ru', 'zh')];
  expect(await loadedFiles(page)).toEqual(near.sort());
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  for (const path of ['/typography-demo', '/ru/typography-demo']) {
    test(`${path} shows all languages in the letters of the site at the first visit`, async ({ page }) => {
      const inDeviceFonts = async (list: string) => {
        const items = locales.map(({ iso }) => `${list} [lang="${iso}"] :is(button, p)`);
        const families = await Promise.all(items.map((item) => fontFamilies(page, item)));
        return families.flat().filter((family) => family.startsWith('local '));
      };
      await page.goto(path);
      await page.locator('header summary').first().click();
      await expect.poll(() => inDeviceFonts('header')).toEqual([]);
      await page.locator('[data-words="typography-demo"]').scrollIntoViewIfNeeded();
      await expect.poll(() => inDeviceFonts('main')).toEqual([]);
    });
  }
});

test('browsers do not thicken letters', async ({ page }) => {
  await page.goto('/zh');
  await expect(page.locator('h1')).toHaveCSS('font-synthesis-weight', 'none');
});
