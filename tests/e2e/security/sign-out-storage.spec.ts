/** What is left in the browser after a sign-out. */
import config from '../../../playwright.config.ts';
import { examplePath, formPath } from '../../support/this-site.ts';
import { expect, test } from '../support/fixtures.ts';
import { signInLink, signOut } from '../support/site-pages.ts';

const EMAIL = 'leaving@example.com';

// Playwright disables the cache of pages by default.
test.use({
  launchOptions: { ...config.use?.launchOptions, ignoreDefaultArgs: ['--disable-back-forward-cache'] },
});

// threat-model: T-075
test('the back button shows no page of the visitor who signed out', async ({ page, signUp }) => {
  const first = `${formPath()}?first`;
  await signUp(EMAIL);
  await page.goto(first);
  await page.goto(examplePath());
  await signOut(page, EMAIL);
  await expect(signInLink(page)).toBeVisible();
  for (const path of [examplePath(), first]) {
    await page.goBack({ waitUntil: 'commit' });
    await expect(page).toHaveURL(path);
    await expect(signInLink(page)).toBeVisible();
    await expect(page.getByText(EMAIL)).toHaveCount(0);
  }
});
