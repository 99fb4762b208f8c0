/** Checks that pages fit the width of the window. */
import { expect, type Page } from '@playwright/test';
import { type Locale, localizePath } from '../../../app/i18n/locales.ts';
import { pages } from '../../../app/pages.ts';

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

/** Asserts that no page, including the error page, extends beyond the window. */
export async function expectEveryPageToFit(page: Page, locale: Locale): Promise<void> {
  for (const path of [...pages.map(({ slug }) => `/${slug}`), '/nowhere']) {
    await page.goto(localizePath(path, locale));
    expect(await overflow(page), localizePath(path, locale)).toEqual({ pixels: 0, outside: [] });
  }
}
