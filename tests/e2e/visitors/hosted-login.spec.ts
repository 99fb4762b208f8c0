/** The sign-in page of the local cloud in a browser. */
import { expect, test } from '../support/fixtures.ts';

test('a button shows and hides the typed password', async ({ page, cloud }) => {
  await page.goto('/auth/sign-in');
  expect(page.url()).toContain(cloud.origin);
  const password = page.locator('#password');
  await password.fill('correct horse');
  const show = page.getByRole('button', { name: 'Show password' });
  await show.click();
  await expect(password).toHaveAttribute('type', 'text');
  await expect(show).toHaveAttribute('aria-pressed', 'true');
  await show.click();
  await expect(password).toHaveAttribute('type', 'password');
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('there is no button that would do nothing', async ({ page }) => {
    await page.goto('/auth/sign-in');
    await expect(page.locator('#password')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Show password' })).toBeHidden();
  });
});
