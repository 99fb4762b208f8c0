import type { Page } from '@playwright/test';

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
