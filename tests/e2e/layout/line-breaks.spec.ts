/** Lines of Chinese and Japanese text do not start with a comma, a full stop or a closing bracket, and titles keep words whole. */
import type { Page } from '@playwright/test';
import { locales, localizePath } from '../../../app/i18n/locales.ts';
import { openPages } from '../../support/localized-pages.ts';
import { expect, test } from '../support/fixtures.ts';
import { waitForFonts } from '../support/shown-fonts.ts';

/** Characters that may not start a line (Requirements for Chinese Text Layout, section 3.1.2). */
const NEVER_FIRST = /^[，。、；：！？）」』》”’]/;
const WIDTHS = [320, 360, 480, 640, 768, 1024, 1280, 1440, 1920];

/** The lines of all headings and paragraphs of the page, or of other elements, as they are broken now. */
function linesOf(page: Page, selector = 'h1, h2, h3, p, li'): Promise<string[]> {
  return page.evaluate((blocks) => {
    const lines: string[] = [];
    for (const block of document.querySelectorAll(blocks)) {
      const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
      let bottom = Number.NEGATIVE_INFINITY;
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        [...(node.textContent ?? '')].forEach((character, index) => {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + 1);
          const box = range.getBoundingClientRect();
          if (box.height === 0) return;
          if (box.top >= bottom - 1) lines.push('');
          bottom = Math.max(bottom, box.bottom);
          lines[lines.length - 1] += character;
        });
      }
    }
    return lines;
  }, selector);
}

for (const locale of locales.filter(({ code }) => ['zh', 'ja'].includes(code))) {
  test(`no line starts with closing punctuation: ${locale.code}`, async ({ page }) => {
    for (const { slug } of openPages) {
      await page.goto(localizePath(`/${slug}`, locale));
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        await waitForFonts(page);
        const lines = await linesOf(page);
        expect(lines.length).toBeGreaterThan(5);
        expect(
          lines.filter((line) => NEVER_FIRST.test(line)),
          `/${slug} at ${width} pixels`,
        ).toEqual([]);
      }
    }
  });
}

test('the title of the Chinese home page breaks within no word', async ({ page }) => {
  await page.goto('/zh');
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await waitForFonts(page);
    const lines = await linesOf(page, 'h1');
    for (const line of lines.slice(0, -1)) expect(line, `at ${width} pixels`).toMatch(/[，。、；：！？]$/);
  }
});
