/** Lines of Chinese and Japanese text do not start with a comma, a full stop or a closing bracket. */
import { locales, localizePath } from '../../../app/i18n/locales.ts';
import { openPages } from '../../support/localized-pages.ts';
import { expect, test } from '../support/fixtures.ts';
import { linesOf, WIDTHS } from '../support/line-breaks.ts';
import { waitForFonts } from '../support/shown-fonts.ts';

/** Characters that may not start a line (Requirements for Chinese Text Layout, section 3.1.2). */
const NEVER_FIRST = /^[，。、；：！？）」』》”’]/;

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
