/** What is left in the browser after a sign-out. */
import type { Page } from '@playwright/test';
import config from '../../../playwright.config.ts';
import { examplePage, examplePath } from '../../support/this-site.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import {
  expectStoredTheme,
  messageField,
  navigateTo,
  openHydrated,
  signInLink,
  signOut,
} from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const EMAIL = 'leaving@example.com';
const t = translationsOf('en');

// Playwright disables the cache of pages by default.
test.use({
  launchOptions: { ...config.use?.launchOptions, ignoreDefaultArgs: ['--disable-back-forward-cache'] },
});

const stored = (page: Page) => page.evaluate(() => JSON.stringify({ ...sessionStorage }));

async function leaveDraft(page: Page, text: string): Promise<void> {
  await openHydrated(page, '/test-message');
  await messageField(page).fill(text);
  await navigateTo(page, examplePage.name);
  await expect.poll(() => stored(page)).toContain(text);
}

// threat-model: T-075
test('a sign-out removes drafts in every tab, and keeps the preferences', async ({
  page,
  context,
  signUp,
}) => {
  await signUp(EMAIL);
  await page.goto(examplePath());
  await page.getByRole('button', { name: t('theme.dark') }).click();
  await expectStoredTheme(page, 'dark');
  const other = await context.newPage();
  await leaveDraft(other, 'A draft in another tab');
  await leaveDraft(page, 'A draft in this tab');
  const preferences = async () =>
    (await context.cookies())
      .filter(({ name }) => ['theme', 'locale'].includes(name))
      .map(({ value }) => value);
  const before = await preferences();
  expect(before).toContain('dark');

  await signOut(page, EMAIL);
  await expect(signInLink(page)).toBeVisible();
  expect(await preferences()).toEqual(expect.arrayContaining(before));
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  for (const tab of [page, other]) await expect.poll(() => stored(tab)).not.toContain('draft in');

  await other.goto('/test-message');
  await hydrate(other);
  await expect(other.getByText('A draft in another tab')).toHaveCount(0);
});

// threat-model: T-075
test('the back button shows no page of the visitor who signed out', async ({ page, signUp }) => {
  await signUp(EMAIL);
  await page.goto('/test-message');
  await page.goto(examplePath());
  await signOut(page, EMAIL);
  await expect(signInLink(page)).toBeVisible();
  for (const path of [examplePath(), '/test-message']) {
    await page.goBack({ waitUntil: 'commit' });
    await expect(page).toHaveURL(path);
    await expect(signInLink(page)).toBeVisible();
    await expect(page.getByText(EMAIL)).toHaveCount(0);
  }
});
