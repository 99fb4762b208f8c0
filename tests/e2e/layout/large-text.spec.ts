/** Text at twice the default size, as visitors set it in their browser (WCAG 2.2, 1.4.4). */
import { locales } from '../../../app/i18n/locales.ts';
import config from '../../../playwright.config.ts';
import { expect, test } from '../support/fixtures.ts';
import { expectEveryPageToFit } from '../support/page-overflow.ts';

const launchOptions = config.use?.launchOptions;

test.use({
  launchOptions: {
    ...launchOptions,
    args: [...(launchOptions?.args ?? []), '--blink-settings=defaultFontSize=32'],
  },
});

for (const locale of locales) {
  test(`every page in ${locale.name} fits the window and uses the large text size`, async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await expectEveryPageToFit(page, locale);
    const size = await page.evaluate(() => Number.parseFloat(getComputedStyle(document.body).fontSize));
    expect(size).toBe(32);
  });
}
