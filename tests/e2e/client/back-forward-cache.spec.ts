/** Pages restored from the browser's back/forward cache. */
import type { Page } from '@playwright/test';
import config from '../../../playwright.config.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { accountMenu, openHydrated, signInLink, signOut } from '../support/site-pages.ts';

const EMAIL = 'back@example.com';

// Playwright disables the cache by default.
test.use({
  launchOptions: { ...config.use?.launchOptions, ignoreDefaultArgs: ['--disable-back-forward-cache'] },
});

/** Marks the current document, which shows later whether it was restored or loaded again. */
const mark = (page: Page) => page.evaluate(() => void Reflect.set(window, 'marked', true));
const isMarked = (page: Page) => page.evaluate(() => Reflect.get(window, 'marked') === true);

const navigationType = (page: Page) =>
  page.evaluate(() => performance.getEntriesByType('navigation')[0]?.toJSON().type);

const account = (page: Page) => accountMenu(page, EMAIL);

/** Leaves the page for another document and comes back, so that the browser restores it from the cache. */
async function leaveAndGoBack(page: Page, meanwhile: () => Promise<unknown>): Promise<void> {
  await page.goto('/robots.txt');
  await meanwhile();
  // A restored page fires no load event.
  await page.goBack({ waitUntil: 'commit' });
}

for (const isHydrated of [true, false]) {
  test(`a page that is ${isHydrated ? '' : 'not '}hydrated is restored, and shows an account signed in meanwhile`, async ({
    page,
    signUp,
  }) => {
    await page.goto('/');
    await expect(signInLink(page)).toBeVisible();
    if (isHydrated) await hydrate(page);
    await mark(page);
    await leaveAndGoBack(page, () => signUp(EMAIL));
    await expect(account(page)).toBeVisible();
    // A hydrated page revalidates its data. The other page is restored as well, and then reloads.
    if (isHydrated) expect(await isMarked(page)).toBe(true);
    else expect(await navigationType(page)).toBe('reload');
  });
}

test('shows nothing of an account signed out meanwhile', async ({ page, context, signUp }) => {
  await signUp(EMAIL);
  await openHydrated(page, '/');
  await expect(account(page)).toBeVisible();
  await leaveAndGoBack(page, async () => {
    const other = await context.newPage();
    await other.goto('/');
    await signOut(other, EMAIL);
    await expect(signInLink(other)).toBeVisible();
  });
  await expect(signInLink(page)).toBeVisible();
  await expect(page.getByText(EMAIL)).toHaveCount(0);
});
