/** Pages from the page cache in a browser. The fixtures check that nothing is reported on the console. */
import { localizePath } from '../../../app/i18n/locales.ts';
import {
  another,
  examplePage,
  examplePath,
  formPath,
  isOnePage,
  mirrored,
  other,
  otherHome,
} from '../../support/this-site.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { recordPolicyViolations } from '../support/recordings.ts';
import { navigationLink, openHydrated } from '../support/site-pages.ts';

test.describe('a cached page', () => {
  for (const theme of ['system', 'light', 'dark'] as const) {
    test(`runs all of its scripts and hydrates (${theme})`, async ({ page, site, context }) => {
      await context.addCookies([{ name: 'theme', value: theme, url: site.origin }]);
      const violations = await recordPolicyViolations(context);
      for (const path of [localizePath('/', mirrored), formPath(), examplePath(another)]) {
        const response = await page.goto(path);
        expect(response?.headers().etag, path).toMatch(/^W\//);
        await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
        await hydrate(page);
        expect(violations, path).toEqual([]);
      }
    });
  }

  test('navigates to other pages without a new document', async ({ page }) => {
    test.skip(isOnePage, 'the page has no link to another one');
    await openHydrated(page, otherHome);
    await page.evaluate(() => Reflect.set(window, 'marked', true));
    await navigationLink(page, examplePage.name, other).click();
    await expect(page).toHaveURL(examplePath(other));
    expect(await page.evaluate(() => Reflect.get(window, 'marked'))).toBe(true);
  });
});
