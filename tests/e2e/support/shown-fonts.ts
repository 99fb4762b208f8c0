import type { Page } from '@playwright/test';
import { fonts } from '../../../app/brand/fonts.ts';

/**
 * Makes pages show font files that arrive late. The files that every page needs are optional: without this a page keeps
 * the fonts of the device when they take longer than about 100 ms, as they do on a slow machine.
 */
export async function showLateFonts(page: Page): Promise<void> {
  await page.route(/\.css$/, async (route) => {
    const response = await route.fetch();
    const styles = await response.text();
    await route.fulfill({
      response,
      body: styles.replaceAll(/font-display:\s*optional/g, 'font-display:swap'),
    });
  });
}

/** Waits until the page is loaded, no font file is being loaded, and the text is drawn with those that are. */
export async function waitForFonts(page: Page): Promise<void> {
  await page.waitForLoadState();
  await page.evaluate(async () => {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    // The browser requests the files that a text needs when it lays the text out.
    await nextFrame();
    do {
      await document.fonts.ready;
      await nextFrame();
    } while (document.fonts.status === 'loading');
  });
}

/** Lays out the content that the browser leaves out until it is near the window, as scrolling through the page does. */
export async function layOutEverything(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll<HTMLElement>('main *')) {
      if (getComputedStyle(element).contentVisibility === 'auto') element.style.contentVisibility = 'visible';
    }
  });
}

/** Returns the fonts that the browser used for the text of an element. */
export async function fontsOf(page: Page, selector: string) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('DOM.enable');
  await devtools.send('CSS.enable');
  const { root } = await devtools.send('DOM.getDocument');
  const { nodeId } = await devtools.send('DOM.querySelector', { nodeId: root.nodeId, selector });
  const { fonts } = await devtools.send('CSS.getPlatformFontsForNode', { nodeId });
  return fonts;
}

/** Returns the families of these fonts. Those of the device are marked as local. */
export async function fontFamilies(page: Page, selector: string) {
  const fonts = await fontsOf(page, selector);
  return fonts.map(({ familyName, isCustomFont }) => (isCustomFont ? familyName : `local ${familyName}`));
}

/** Returns the names of the font files that the page has requested. */
export async function loadedFiles(page: Page): Promise<string[]> {
  const loaded = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => /\/assets\/(.+)-.{8}\.woff2$/.exec(name)?.[1])
      .filter((name) => name !== undefined),
  );
  return loaded.sort();
}

export const upright = [`${fonts.text.file}-latin`, `${fonts.headings.file}-latin`];
