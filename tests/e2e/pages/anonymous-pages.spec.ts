import { expect, hydrate, test } from '../support/fixtures.ts';

// The console must stay silent: a script that the policy does not know would be reported there.
test.describe('a page from memory in a browser', () => {
  for (const theme of ['system', 'light', 'dark'] as const) {
    test(`runs all of its scripts and comes to life (${theme})`, async ({ page, site, context }) => {
      await context.addCookies([{ name: 'theme', value: theme, url: site.origin }]);
      const violations: string[] = [];
      await page.exposeFunction('violated', (directive: string) => violations.push(directive));
      await page.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) =>
          Reflect.get(window, 'violated')(`${event.violatedDirective} ${event.blockedURI}`),
        );
      });
      for (const path of ['/ar', '/test-message', '/ja/typography-demo']) {
        const response = await page.goto(path);
        expect(response?.headers().etag, path).toMatch(/^W\//);
        await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
        await hydrate(page);
        expect(violations, path).toEqual([]);
      }
    });
  }

  test('goes on to other pages without a new document', async ({ page }) => {
    await page.goto('/fr');
    await hydrate(page);
    await page.evaluate(() => Reflect.set(window, 'kept', true));
    await page.getByRole('navigation').first().getByRole('link').last().click();
    await expect(page).not.toHaveURL(/\/fr$/);
    expect(await page.evaluate(() => Reflect.get(window, 'kept'))).toBe(true);
  });
});
