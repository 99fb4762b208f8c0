/** Pages that the browser kept as they were left, and shows again when somebody goes back. */
import type { Page } from '@playwright/test';
import config from '../../../playwright.config.ts';
import { completeSignIn, completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { expect, hydrate, test } from '../support/fixtures.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');
const EMAIL = 'back@example.com';

// Playwright turns the cache off.
test.use({
  launchOptions: { ...config.use?.launchOptions, ignoreDefaultArgs: ['--disable-back-forward-cache'] },
});

/** Marks the page that is shown, to see whether it is the same one that comes back. */
const mark = (page: Page) => page.evaluate(() => void Reflect.set(window, 'marked', true));
const isMarked = (page: Page) => page.evaluate(() => Reflect.get(window, 'marked') === true);

const howLoaded = (page: Page) =>
  page.evaluate(() => performance.getEntriesByType('navigation')[0]?.toJSON().type);

const signInLink = (page: Page) => page.getByRole('banner').getByRole('link', { name: t('account.signIn') });
const account = (page: Page) => page.locator('summary').filter({ hasText: EMAIL });

/** Signs in from another tab and signs out again there. */
async function signInElsewhere(page: Page): Promise<() => Promise<void>> {
  const other = await page.context().newPage();
  await other.goto('/auth/sign-in?returnTo=/');
  await completeSignIn(other, EMAIL);
  return async () => {
    await account(other).click();
    await other.getByRole('button', { name: t('account.signOut') }).click();
    await expect(signInLink(other)).toBeVisible();
  };
}

for (const touched of [true, false]) {
  test.describe(touched ? 'a page in use' : 'a page that nobody touched', () => {
    /** Leaves the page for a document, so that the browser keeps it. */
    const leaveAndComeBack = async (page: Page, meanwhile: () => Promise<unknown>) => {
      if (touched) await hydrate(page);
      await mark(page);
      await page.goto('/robots.txt');
      await meanwhile();
      // A page from the cache is not loaded.
      await page.goBack({ waitUntil: 'commit' });
    };

    test.beforeEach(async ({ page, context, cloud }) => {
      await page.goto('/auth/sign-up?returnTo=/robots.txt');
      await completeSignUp(page, cloud, EMAIL);
      await context.clearCookies();
    });

    test('comes back as it was, and knows who has signed in since', async ({ page }) => {
      await page.goto('/');
      await expect(signInLink(page)).toBeVisible();
      await leaveAndComeBack(page, () => signInElsewhere(page));
      await expect(account(page)).toBeVisible();
      // One that is in use goes on; the other was shown again too, and then loaded anew.
      if (touched) expect(await isMarked(page)).toBe(true);
      else expect(await howLoaded(page)).toBe('reload');
    });

    test('shows nothing of who has signed out since', async ({ page }) => {
      const signOut = await signInElsewhere(page);
      await page.goto('/');
      await expect(account(page)).toBeVisible();
      await leaveAndComeBack(page, signOut);
      await expect(signInLink(page)).toBeVisible();
      await expect(page.getByText(EMAIL)).toHaveCount(0);
    });
  });
}
