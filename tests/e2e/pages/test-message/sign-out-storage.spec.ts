/** Drafts of messages after a sign-out. */
import type { Page } from '@playwright/test';
import { examplePage, examplePath } from '../../../support/this-site.ts';
import { expect, hydrate, test } from '../../support/fixtures.ts';
import { expectStoredTheme, openHydrated, signInLink, signOut } from '../../support/site-pages.ts';
import { translationsOf } from '../../support/translations.ts';
import { messageField, navigateTo } from './message-list.ts';

const EMAIL = 'leaving@example.com';
const t = translationsOf('en');

const stored = (page: Page) => page.evaluate(() => JSON.stringify({ ...sessionStorage }));

async function leaveDraft(page: Page, text: string): Promise<void> {
  await openHydrated(page, '/test-message');
  await messageField(page).fill(text);
  await navigateTo(page, examplePage);
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
