/** Pages whose font files arrive after the text is visible, on a device whose fonts have other widths. */
import { expect, type Page } from '@playwright/test';
import { fonts } from '../../../app/brand/fonts.ts';
import { localizePath } from '../../../app/i18n/locales.ts';
import { openPages } from '../../support/localized-pages.ts';
import { oneLocalePerScript, test } from '../support/device-fonts.ts';
import { holdRequests, sumLayoutShifts } from '../support/recordings.ts';
import { layOutEverything, waitForFonts } from '../support/shown-fonts.ts';

/** Longer than browsers hide text while they wait for a font: 100 ms by the specification. */
const FALLBACK_IS_SHOWN = 200;

/** Opens a page and its language menu without font files, and returns the function that lets these arrive. */
async function openWithoutFonts(page: Page, path: string): Promise<() => Promise<void>> {
  const release = await holdRequests(page, /\.woff2$/);
  await page.goto(path, { waitUntil: 'domcontentloaded' });
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
  await layOutEverything(page);
  await page
    .locator('header details')
    .first()
    .evaluate((menu) => menu.setAttribute('open', ''));
  // A timer of the page runs after the browser's own timers that began earlier, however slow the machine is.
  await page.evaluate((time) => new Promise((resolve) => setTimeout(resolve, time)), FALLBACK_IS_SHOWN);
  return async () => {
    release();
    await waitForFonts(page);
    await page.unroute(/\.woff2$/);
  };
}

type Position = { text: string; top: number };

/** The vertical positions of the headings and sections, of what is in each language, and of the footer. */
function positions(page: Page): Promise<Position[]> {
  return page.locator('h1, h2, h3, section, li[lang], footer').evaluateAll((elements) =>
    elements
      .filter((element) => element.checkVisibility())
      .map((element) => ({
        text: `${element.localName} ${element.textContent.trim().slice(0, 30)}`,
        top: element.getBoundingClientRect().top + scrollY,
      })),
  );
}

/** The elements that moved by more than two pixels. The next line would be twenty pixels away. */
function moved(before: readonly Position[], after: readonly Position[]): string[] {
  return before
    .map(({ text, top }, index) => ({ text, pixels: Math.round((after[index]?.top ?? 0) - top) }))
    .filter(({ pixels }) => Math.abs(pixels) > 2)
    .map(({ text, pixels }) => `${text}: ${pixels}`);
}

// Chinese and Japanese fonts of all devices have the same widths.
test.use({
  installedFonts: {
    [`${fonts.text.file}-latin-`]: 1.06,
    'noto-sans/files/noto-sans-cyrillic-wght-normal.woff2': 1.07,
    'noto-sans-arabic/files/noto-sans-arabic-arabic-wght-normal.woff2': 0.8,
    'noto-sans-devanagari/files/noto-sans-devanagari-devanagari-wght-normal.woff2': 1.1,
    'ja-text': 1,
    'zh-text': 1,
  },
});

for (const locale of oneLocalePerScript) {
  test(`nothing moves when the fonts arrive in ${locale.name}`, async ({ page }) => {
    const shifts = await sumLayoutShifts(page);
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 740 });
      for (const { slug } of openPages) {
        const path = localizePath(`/${slug}`, locale);
        const loadFonts = await openWithoutFonts(page, path);
        const before = await positions(page);
        await loadFonts();
        expect(moved(before, await positions(page)), `${path} at ${width} pixels`).toEqual([]);
        expect(await shifts(), `${path} at ${width} pixels`).toBeLessThan(0.001);
      }
    }
  });
}
