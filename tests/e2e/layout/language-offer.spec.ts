/** The offer to read a page in the language that the visitor prefers. */
import type { Page } from '@playwright/test';
import { defaultLocale, locales, localizePath } from '../../../app/i18n/locales.ts';
import { examplePath, formPath, mirrored, other, otherHome } from '../../support/this-site.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { navigationLink } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

/** Languages to offer on pages in another one. */
const offered = locales.filter((locale) => locale !== other && [defaultLocale, mirrored].includes(locale));

const offerIn = (page: Page, code: string) =>
  page.getByRole('complementary', { name: translationsOf(code)('language.label'), exact: true });

const button = (page: Page, code: string, name: 'switch' | 'dismiss') =>
  offerIn(page, code).getByRole('button', { name: translationsOf(code)(`server:languageOffer.${name}`) });

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    for (const wanted of offered) {
      const { code } = wanted;
      test.describe(`to a visitor who prefers ${code}`, () => {
        test.use({ locale: code });

        test('is made on a deep link, and leads to the same page', async ({ page, context }) => {
          await page.goto(`${examplePath(other)}?size=large`);
          await expect(page.locator('html')).toHaveAttribute('lang', other.iso);
          const offer = offerIn(page, code);
          await expect(offer).toContainText(translationsOf(code)('server:languageOffer.available'));
          await expect(offer).toHaveAttribute('lang', wanted.iso);
          await expect(offer).toHaveAttribute('dir', wanted.dir);
          await button(page, code, 'switch').click();
          await expect(page).toHaveURL(`${examplePath(wanted)}?size=large`);
          await expect(offer).toHaveCount(0);
          const cookies = await context.cookies();
          expect(cookies.find(({ name }) => name === 'locale')?.value).toBe(code);
        });

        test('is dismissed for good', async ({ page, context }) => {
          await page.goto(`${formPath(other)}?x=1`);
          await button(page, code, 'dismiss').click();
          await expect(offerIn(page, code)).toHaveCount(0);
          // The offer disappears before the server responds, and a new document could cancel the request.
          const cookieNames = async () => (await context.cookies()).map(({ name }) => name);
          await expect.poll(cookieNames).toContain('language-offer');
          await expect(page).toHaveURL(`${formPath(other)}?x=1`);
          await page.goto(examplePath(other));
          await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
          await expect(offerIn(page, code)).toHaveCount(0);
        });
      });
    }
  });
}

for (const wanted of offered.slice(-1)) {
  const { code } = wanted;

  test.describe(`a hydrated offer of ${code}`, () => {
    test.use({ locale: code });

    test('moves the focus to the page when it is dismissed', async ({ page }) => {
      await page.goto(examplePath(other));
      await hydrate(page);
      await button(page, code, 'dismiss').press('Enter');
      await expect(offerIn(page, code)).toHaveCount(0);
      await expect(page.getByRole('main')).toBeFocused();
    });

    test('stays on the next page, and disappears with a chosen language', async ({ page }) => {
      await page.goto(examplePath(other));
      await hydrate(page);
      await navigationLink(page, 'index', other).click();
      await expect(page).toHaveURL(otherHome);
      await expect(offerIn(page, code)).toBeVisible();
      const chosen = locales.find((locale) => locale !== other && locale !== wanted) ?? other;
      await page.locator('summary').filter({ hasText: other.ownName }).click();
      await page.getByRole('button', { name: chosen.ownName, exact: true }).click();
      await expect(page).toHaveURL(localizePath('/', chosen));
      await expect(offerIn(page, code)).toHaveCount(0);
    });

    test('does not move the page', async ({ page }) => {
      await page.addInitScript(() => {
        new PerformanceObserver((list) => {
          const shifts = list.getEntries().map((entry) => Reflect.get(entry, 'value'));
          Reflect.set(
            window,
            'shift',
            (Reflect.get(window, 'shift') ?? 0) + shifts.reduce((a, b) => a + b, 0),
          );
        }).observe({ type: 'layout-shift', buffered: true });
      });
      // Font files that arrive late may move the text a little.
      await page.route(/\.woff2$/, (route) => route.abort());
      await page.goto(examplePath(other));
      await hydrate(page);
      await expect(offerIn(page, code)).toBeVisible();
      expect(await page.evaluate(() => Reflect.get(window, 'shift') ?? 0)).toBe(0);
    });
  });
}
