/** The fonts of the typography page. */
import { locales } from '../../../../app/i18n/locales.ts';
import { forThisSite } from '../../../support/this-site.ts';
import { expect, test } from '../../support/fixtures.ts';
import {
  fontFamilies,
  loadedFiles,
  showLateFonts,
  upright,
  waitForFonts,
} from '../../support/shown-fonts.ts';

for (const path of forThisSite(['/ar/typography-demo'])) {
  test(`the files for the sentence in all languages load when it is near: ${path}`, async ({ page }) => {
    await page.goto(path);
    await waitForFonts(page);
    expect(await loadedFiles(page)).toEqual([...upright, 'ar-text'].sort());
    await page.locator('[data-words="typography-demo"]').scrollIntoViewIfNeeded();
    await waitForFonts(page);
    const others = ['hi', 'ja', 'ru', 'zh'].filter((code) => locales.some((locale) => locale.code === code));
    const near = [...upright, 'ar-text', ...others.map((code) => `${code}-sentences`)];
    expect(await loadedFiles(page)).toEqual(near.sort());
  });
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  for (const path of forThisSite(['/typography-demo', '/ru/typography-demo'])) {
    test(`${path} shows all languages in the letters of the site at the first visit`, async ({ page }) => {
      const inDeviceFonts = async (list: string) => {
        const items = locales.map(({ iso }) => `${list} [lang="${iso}"] :is(button, p)`);
        const families = await Promise.all(items.map((item) => fontFamilies(page, item)));
        return families.flat().filter((family) => family.startsWith('local '));
      };
      await showLateFonts(page);
      await page.goto(path);
      await page.locator('header summary').first().click();
      await expect.poll(() => inDeviceFonts('header')).toEqual([]);
      await page.locator('[data-words="typography-demo"]').scrollIntoViewIfNeeded();
      await expect.poll(() => inDeviceFonts('main')).toEqual([]);
    });
  }
});
