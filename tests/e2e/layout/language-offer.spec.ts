/** The offer to read a page in the language that the visitor prefers. */
import type { Page } from '@playwright/test';
import { defaultLocale, locales, localizePath } from '../../../app/i18n/locales.ts';
import { examplePath, formPath, mirrored, other, otherHome } from '../../support/this-site.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { sumLayoutShifts } from '../support/recordings.ts';
import { navigationLink } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

/** The language that the visitor prefers. The pages are in another one. */
const preferred = mirrored === other ? defaultLocale : mirrored;
const t = translationsOf(preferred.code);

test.skip(preferred === other, 'there is no other language');
test.use({ locale: preferred.code });

const offerOn = (page: Page) => page.getByRole('complementary', { name: t('language.label'), exact: true });

const button = (page: Page, name: 'switch' | 'dismiss') =>
  offerOn(page).getByRole('button', { name: t(`server:languageOffer.${name}`) });

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('the offer is made on a deep link, and leads to the same page', async ({ page, context }) => {
      await page.goto(`${examplePath(other)}?size=large`);
      await expect(page.locator('html')).toHaveAttribute('lang', other.iso);
      await expect(offerOn(page)).toContainText(t('server:languageOffer.available'));
      await button(page, 'switch').click();
      await expect(page).toHaveURL(`${examplePath(preferred)}?size=large`);
      await expect(offerOn(page)).toHaveCount(0);
      const cookies = await context.cookies();
      expect(cookies.find(({ name }) => name === 'locale')?.value).toBe(preferred.code);
    });

    test('the offer is dismissed for good', async ({ page, context }) => {
      await page.goto(`${formPath(other)}?x=1`);
      await button(page, 'dismiss').click();
      await expect(offerOn(page)).toHaveCount(0);
      // The offer disappears before the server responds, and a new document could cancel the request.
      const cookieNames = async () => (await context.cookies()).map(({ name }) => name);
      await expect.poll(cookieNames).toContain('language-offer');
      await expect(page).toHaveURL(`${formPath(other)}?x=1`);
      await page.goto(examplePath(other));
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(offerOn(page)).toHaveCount(0);
    });
  });
}

test('a dismissed offer moves the focus to the page', async ({ page }) => {
  await page.goto(examplePath(other));
  await hydrate(page);
  await button(page, 'dismiss').press('Enter');
  await expect(offerOn(page)).toHaveCount(0);
  await expect(page.getByRole('main')).toBeFocused();
});

test('the offer does not move the page, stays on the next one, and disappears with a chosen language', async ({
  page,
}) => {
  const shifts = await sumLayoutShifts(page);
  // Font files that arrive late may move the text a little.
  await page.route(/\.woff2$/, (route) => route.abort());
  await page.goto(examplePath(other));
  await hydrate(page);
  await expect(offerOn(page)).toBeVisible();
  expect(await shifts()).toBe(0);

  await navigationLink(page, 'index', other).click();
  await expect(page).toHaveURL(otherHome);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(offerOn(page)).toBeVisible();
  const chosen = locales.find((locale) => locale !== other && locale !== preferred) ?? other;
  await page.locator('summary').filter({ hasText: other.ownName }).click();
  await page.getByRole('button', { name: chosen.ownName, exact: true }).click();
  await expect(page).toHaveURL(localizePath('/', chosen));
  await expect(offerOn(page)).toHaveCount(0);
});
