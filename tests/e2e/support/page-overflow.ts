/** Checks that pages fit the width of the window. */
import { expect, type Page } from '@playwright/test';
import { waitForFonts } from './shown-fonts.ts';

/** Returns by how many pixels the page is wider than the window, and the texts that extend beyond it. */
function overflow(page: Page): Promise<{ pixels: number; outside: string[] }> {
  return page.evaluate(() => {
    const outside = [
      ...document.querySelectorAll<HTMLElement>('main :is(h1, h2, h3, p, li, dt, dd), header a, button'),
    ]
      .filter((element) => element.checkVisibility() && !element.closest('.sr-only, pre'))
      .filter((element) => {
        const { left, right } = element.getBoundingClientRect();
        return left < -1 || right > innerWidth + 1;
      });
    return {
      pixels: document.documentElement.scrollWidth - innerWidth,
      outside: outside.map((element) => element.textContent.slice(0, 40)),
    };
  });
}

/** Asserts that the page, as it is now, does not extend beyond a window of this size. */
export async function expectPageToFit(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await waitForFonts(page);
  expect
    .soft(await overflow(page), `${page.url()} at ${size.width} pixels`)
    .toEqual({ pixels: 0, outside: [] });
}
