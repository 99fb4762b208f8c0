import { expect, test } from '../e2e/support/fixtures.ts';

test('the page says who makes the site', async ({ page, site }) => {
  await page.goto(`${site.origin}/about`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('About us');
});
