/** Pages from the page cache in a browser. The fixtures check that nothing is reported on the console. */
import { expect, hydrate, test } from '../support/fixtures.ts';
import { recordPolicyViolations } from '../support/recordings.ts';
import { openHydrated } from '../support/site-pages.ts';

test.describe('a cached page', () => {
  for (const theme of ['system', 'light', 'dark'] as const) {
    test(`runs all of its scripts and hydrates (${theme})`, async ({ page, site, context }) => {
      await context.addCookies([{ name: 'theme', value: theme, url: site.origin }]);
      const violations = await recordPolicyViolations(context);
      for (const path of ['/ar', '/test-message', '/ja/typography-demo']) {
        const response = await page.goto(path);
        expect(response?.headers().etag, path).toMatch(/^W\//);
        await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
        await hydrate(page);
        expect(violations, path).toEqual([]);
      }
    });
  }

  test('navigates to other pages without a new document', async ({ page }) => {
    await openHydrated(page, '/fr');
    await page.evaluate(() => Reflect.set(window, 'marked', true));
    await page.getByRole('navigation').first().getByRole('link').last().click();
    await expect(page).not.toHaveURL(/\/fr$/);
    expect(await page.evaluate(() => Reflect.get(window, 'marked'))).toBe(true);
  });
});
