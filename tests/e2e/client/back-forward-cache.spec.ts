/** Pages restored from the browser's back/forward cache. */
import type { Page } from '@playwright/test';
import config from '../../../playwright.config.ts';
import { completeSignIn } from '../../support/sign-in/hosted-login-pages.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { accountMenu, signInLink, signOut } from '../support/site-pages.ts';

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

/** Signs in through another tab and returns a function that signs out there. */
async function signInInOtherTab(page: Page): Promise<() => Promise<void>> {
  const other = await page.context().newPage();
  await other.goto('/auth/sign-in?returnTo=/');
  await completeSignIn(other, EMAIL);
  return async () => {
    await signOut(other, EMAIL);
    await expect(signInLink(other)).toBeVisible();
  };
}

for (const isHydrated of [true, false]) {
  test.describe(isHydrated ? 'a hydrated page' : 'a page that is not hydrated', () => {
    /** Leaves the page for another document and comes back, so that the browser restores it from the cache. */
    const leaveAndGoBack = async (page: Page, meanwhile: () => Promise<unknown>) => {
      if (isHydrated) await hydrate(page);
      await mark(page);
      await page.goto('/robots.txt');
      await meanwhile();
      // A restored page fires no load event.
      await page.goBack({ waitUntil: 'commit' });
    };

    test.beforeEach(async ({ context, signUp }) => {
      await signUp(EMAIL);
      await context.clearCookies();
    });

    test('is restored, and shows an account signed in meanwhile', async ({ page }) => {
      await page.goto('/');
      await expect(signInLink(page)).toBeVisible();
      await leaveAndGoBack(page, () => signInInOtherTab(page));
      await expect(account(page)).toBeVisible();
      // A hydrated page revalidates its data. The other page is restored as well, and then reloads.
      if (isHydrated) expect(await isMarked(page)).toBe(true);
      else expect(await navigationType(page)).toBe('reload');
    });

    test('shows nothing of an account signed out meanwhile', async ({ page }) => {
      const signOutInOtherTab = await signInInOtherTab(page);
      await page.goto('/');
      await expect(account(page)).toBeVisible();
      await leaveAndGoBack(page, signOutInOtherTab);
      await expect(signInLink(page)).toBeVisible();
      await expect(page.getByText(EMAIL)).toHaveCount(0);
    });
  });
}
