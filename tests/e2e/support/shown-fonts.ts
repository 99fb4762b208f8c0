import type { Page } from '@playwright/test';

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
