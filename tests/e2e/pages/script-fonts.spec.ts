/** Every page in every script on a device without fonts for the scripts of the site. */
import { type CDPSession, expect, type Page } from '@playwright/test';
import { fonts } from '../../../app/brand/fonts.ts';
import { localizePath } from '../../../app/i18n/locales.ts';
import { openPages } from '../../support/localized-pages.ts';
import { forThisSite, otherHome } from '../../support/this-site.ts';
import { oneLocalePerScript, test } from '../support/device-fonts.ts';
import { holdRequests } from '../support/recordings.ts';
import { layOutEverything, showLateFonts, waitForFonts } from '../support/shown-fonts.ts';

/** Code and the names of keys are set in the fixed-width font of the device. */
const FIXED_WIDTH = 'pre, code, kbd';

/** Shows the contents of menus and the end of the page, and removes what is not set in fonts of the site. */
async function showAllTexts(page: Page): Promise<void> {
  await layOutEverything(page);
  await page.locator('details').evaluateAll((menus) => {
    for (const menu of menus) menu.setAttribute('open', '');
  });
  await page.locator(FIXED_WIDTH).evaluateAll((elements) => {
    for (const element of elements) element.remove();
  });
  await waitForFonts(page);
}

/** The texts of which some glyph comes from a font of the device, as `text: font`. */
async function textsInDeviceFonts(page: Page): Promise<string[]> {
  const marks = await page.locator('body *:not(script, style, option)').evaluateAll((elements) => {
    const isText = (node: Node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '';
    const withText = elements.filter((element) => [...element.childNodes].some(isText));
    for (const [index, element] of withText.entries()) element.setAttribute('data-text', String(index));
    return withText.map((element) => element.textContent?.trim() ?? '');
  });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('DOM.enable');
  await devtools.send('CSS.enable');
  const { root } = await devtools.send('DOM.getDocument');
  const { nodeIds } = await devtools.send('DOM.querySelectorAll', {
    nodeId: root.nodeId,
    selector: '[data-text]',
  });
  const found = await Promise.all(nodeIds.map((nodeId) => deviceFonts(devtools, nodeId)));
  await devtools.detach();
  return found.flatMap((fonts, index) => fonts.map((font) => `${marks[index]}: ${font}`));
}

async function deviceFonts(devtools: CDPSession, nodeId: number): Promise<string[]> {
  const { fonts } = await devtools.send('CSS.getPlatformFontsForNode', { nodeId });
  return fonts.filter(({ isCustomFont }) => !isCustomFont).map(({ familyName }) => familyName);
}

for (const locale of oneLocalePerScript) {
  test(`every page in ${locale.name} is set in fonts of the site alone`, async ({ page }) => {
    await showLateFonts(page);
    for (const path of [...openPages.map(({ slug }) => `/${slug}`), '/no-such-page']) {
      await page.goto(localizePath(path, locale));
      await showAllTexts(page);
      expect(await textsInDeviceFonts(page), path).toEqual([]);
    }
  });
}

test('text of visitors in other characters uses the fonts of the device', async ({ page }) => {
  await showLateFonts(page);
  await page.goto(otherHome);
  await showAllTexts(page);
  await page.locator('h1').evaluate((heading) => {
    heading.textContent = '龘';
  });
  expect(await textsInDeviceFonts(page)).toEqual([expect.stringContaining(`龘: ${fonts.text.family}`)]);
});

for (const path of forThisSite(['/ar'])) {
  test(`a device without a font of the script shows the font of the site whenever it arrives: ${path}`, async ({
    page,
  }) => {
    const release = await holdRequests(page, /\.woff2$/);
    await page.goto(path, { waitUntil: 'domcontentloaded' });
    // Longer than browsers wait for a font that is optional.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 400)));
    release();
    await waitForFonts(page);
    await page.locator('main').evaluate((main) => {
      for (const element of document.body.querySelectorAll('header, footer')) element.remove();
      main.replaceChildren(...main.querySelectorAll('h2'));
    });
    expect(
      (await textsInDeviceFonts(page)).filter((found) => !found.includes(`: ${fonts.text.family}`)),
    ).toEqual([]);
  });
}
