/** Pages from the page cache in a browser. The fixtures check that nothing is reported on the console. */
import { localizePath } from '../../../app/i18n/locales.ts';
import { another, examplePath, formPath, mirrored } from '../../support/this-site.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { recordPolicyViolations } from '../support/recordings.ts';

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
});
