/** The fonts that the browser renders text with, and the font files that it loads. */
import { setTimeout } from 'node:timers/promises';
import { fonts } from '../../../app/brand/fonts.ts';
import { localizePath } from '../../../app/i18n/locales.ts';
import { another, forThisSite } from '../../support/this-site.ts';
import { expect, test } from '../support/fixtures.ts';
import {
  fontFamilies,
  fontsOf,
  loadedFiles,
  showLateFonts,
  upright,
  waitForFonts,
} from '../support/shown-fonts.ts';

const { text, headings } = fonts;

test('headings and texts use their font families', async ({ page }) => {
  await showLateFonts(page);
  await page.goto('/');
  await waitForFonts(page);
  expect(await fontFamilies(page, 'h1')).toEqual([expect.stringContaining(headings.family)]);
  for (const selector of ['h1 ~ p, h1 + *, header p', 'nav a']) {
    expect(await fontFamilies(page, selector)).toEqual([expect.stringContaining(text.family)]);
  }
});

for (const [path, name] of forThisSite([
  ['/pt/typography-demo', new RegExp(`^${text.family.replaceAll(' ', '')}.*Italic`)],
  ['/ru/typography-demo', /^NotoSans.*Italic/],
] as const)) {
  test(`emphasis uses the italic font file on ${path}`, async ({ page }) => {
    await page.goto(path);
    await waitForFonts(page);
    const fonts = await fontsOf(page, 'em');
    expect(fonts).toEqual([
      expect.objectContaining({ isCustomFont: true, postScriptName: expect.stringMatching(name) }),
    ]);
  });
}

for (const [path, files] of forThisSite([
  ['/zh/test-message', [...upright, 'zh-text', 'zh-bold']],
  ['/fr/typography-demo', [...upright, `${text.file}-latin-italic`]],
] as const)) {
  test(`${path} loads exactly the font files that its characters need`, async ({ page }) => {
    await page.goto(path);
    await waitForFonts(page);
    expect(await loadedFiles(page)).toEqual([...files].sort());
  });
}

for (const path of forThisSite(['/ru/test-message'])) {
  test(`font files that arrive late do not make the page load others: ${path}`, async ({ page }) => {
    await page.route(/-latin-[^/]+\.woff2$/, async (route) => {
      await setTimeout(500);
      await route.continue();
    });
    await page.goto(path);
    await waitForFonts(page);
    expect(await loadedFiles(page)).toEqual([...upright, 'ru-text'].sort());
  });
}

/** The largest part of the text and boxes of a page that the browser laid out at once. */
function largestLayout(trace: Buffer): number {
  type Layout = { name: string; args: { beginData?: { dirtyObjects: number; totalObjects: number } } };
  const { traceEvents }: { traceEvents: Layout[] } = JSON.parse(trace.toString());
  const layouts = traceEvents.flatMap(({ name, args }) =>
    name === 'Layout' && args.beginData ? [args.beginData] : [],
  );
  // The trace may contain the empty document that was in the tab before the page.
  const pageObjects = Math.max(...layouts.map(({ totalObjects }) => totalObjects));
  return Math.max(...layouts.map(({ dirtyObjects }) => dirtyObjects)) / pageObjects;
}

for (const [path, file] of forThisSite([
  ['/privacy', 'ar-names'],
  ['/ar/privacy', 'hi-names'],
] as const)) {
  test(`font files for names in the language menu do not make the browser lay out all of ${path} again`, async ({
    browser,
    page,
  }) => {
    // A browser that keeps the fonts of the device lays their text out again whenever a font file arrives.
    await showLateFonts(page);
    await page.goto(path);
    await waitForFonts(page);
    await browser.startTracing(page, { categories: ['devtools.timeline'] });
    await page.locator('header summary').first().click();
    await waitForFonts(page);
    const trace = await browser.stopTracing();
    expect(await loadedFiles(page)).toContain(file);
    expect(largestLayout(trace)).toBeLessThan(0.5);
  });
}

test('browsers do not thicken letters', async ({ page }) => {
  await page.goto(localizePath('/', another));
  await expect(page.locator('h1')).toHaveCSS('font-synthesis-weight', 'none');
});
