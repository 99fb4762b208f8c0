/** Whether pages fit the window that shows them. */
import { expect, type Page } from '@playwright/test';
import { type Locale, localizePath } from '../../../app/i18n/locales.ts';
import { pages } from '../../../app/pages.ts';

/** By how many pixels a page is wider than the window, and what of its text stands outside. */
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

/** That nothing of any page, nor of the one that is none, lies outside the window. */
export async function expectEveryPageToFit(page: Page, locale: Locale): Promise<void> {
  for (const path of [...pages.map(({ slug }) => `/${slug}`), '/nowhere']) {
    await page.goto(localizePath(path, locale));
    expect(await overflow(page), localizePath(path, locale)).toEqual({ pixels: 0, outside: [] });
  }
}
