/** The sample text of the typography page, and its settings. */
import { expect, test } from '../../support/fixtures.ts';
import { holdClient } from '../../support/recordings.ts';
import { openHydrated } from '../../support/site-pages.ts';
import { translationsOf } from '../../support/translations.ts';

const t = translationsOf('en');

test('a setting takes effect at once, and keeps the focus and the text that the visitor edited', async ({
  page,
}) => {
  await openHydrated(page, '/typography-demo');
  const sample = page.getByRole('textbox', { name: t('typography-demo:tester.sampleLabel') });
  await expect(sample).toHaveValue(t('typography-demo:tester.sample'));
  await sample.fill('My own words');
  const list = page.getByLabel(t('typography-demo:tester.size.label'));
  // For a mouse, the options are a part of the page.
  await list.click();
  await page.locator('option[value="32"]').click();
  await expect(page).toHaveURL(/size=32/);
  await expect(sample).toHaveCSS('font-size', '32px');
  await expect(sample).toHaveValue('My own words');
  await expect(list).toBeFocused();
  await page.getByRole('link', { name: t('typography-demo:tester.reset') }).click();
  await expect(sample).toHaveCSS('font-size', '20px');
  await expect(list).toHaveValue('20');
  await expect(page.getByRole('button', { name: t('typography-demo:tester.apply') })).toBeHidden();
});

test('an option selected before hydration is kept, and takes effect after hydration', async ({ page }) => {
  const release = await holdClient(page);
  await page.goto('/typography-demo');
  const list = page.getByLabel(t('typography-demo:tester.weight.label'));
  await list.selectOption('700');
  release();
  await expect(page).toHaveURL(/weight=700/);
  await expect(list).toHaveValue('700');
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('a button applies the settings', async ({ page }) => {
    await page.goto('/typography-demo');
    await page.getByLabel(t('typography-demo:tester.weight.label')).selectOption('700');
    await page.getByRole('button', { name: t('typography-demo:tester.apply') }).click();
    await expect(page).toHaveURL(/weight=700/);
    await expect(page.getByRole('textbox')).toHaveCSS('font-weight', '700');
  });
});
