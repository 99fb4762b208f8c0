/** The privacy page: links to its sections, and the names of cookies in it. */
import { locales, localizePath } from '../../../../app/i18n/locales.ts';
import { expect, test } from '../../support/fixtures.ts';
import { recordScrolling } from '../../support/recordings.ts';
import { openHydrated } from '../../support/site-pages.ts';
import { translationsOf } from '../../support/translations.ts';

const t = translationsOf('en');

test('scrolling is smooth to the target of a hash, also after an invalid hash', async ({ page }) => {
  const calls = await recordScrolling(page);
  await openHydrated(page, '/#%E0%A4%A');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('home:title'));
  await page.evaluate(() => void window.__remixRouter.navigate('/privacy#cookies'));
  await expect(page).toHaveURL('/privacy#cookies');
  await expect(page.locator('#cookies')).toBeInViewport();
  await expect.poll(calls).toEqual(['smooth']);
});

test('the letters of code have one width in every language', async ({ page }) => {
  for (const locale of locales) {
    await page.goto(localizePath('/privacy', locale));
    const [narrow, wide] = await page
      .locator('main code')
      .first()
      .evaluate((code) =>
        ['iiii', 'MMMM'].map((letters) => {
          code.textContent = letters;
          return code.getBoundingClientRect().width;
        }),
      );
    expect(narrow, locale.code).toBe(wide);
  }
});
