/** The account page with and without JavaScript. */
import { readFileSync } from 'node:fs';
import { defaultLocale, localizePath } from '../../../../app/i18n/locales.ts';
import { PASSWORD } from '../../../support/sign-in/hosted-login.ts';
import { completeSignIn } from '../../../support/sign-in/hosted-login-pages.ts';
import { mirrored } from '../../../support/this-site.ts';
import { expect, hydrate, test } from '../../support/fixtures.ts';
import { expectPageToFit } from '../../support/page-overflow.ts';
import { translationsOf } from '../../support/translations.ts';
import { confirmAction, EMAIL, formOf, NAME, submit, walkAccountPage } from './page-states.ts';

for (const javaScriptEnabled of [true, false]) {
  for (const locale of [defaultLocale, mirrored]) {
    test.describe(`in ${locale.name}, JavaScript: ${javaScriptEnabled}`, () => {
      test.use({ javaScriptEnabled, locale: locale.iso, expectedConsole: /status of (422|503)/ });

      test('a visitor changes the name, fails to change the password, and deletes the account', async ({
        page,
        signUp,
        cloud,
      }) => {
        await signUp(EMAIL);
        const check = async (state: string) => {
          // It waits for the fonts with a script.
          if (javaScriptEnabled) await expectPageToFit(page, { width: 360, height: 740 });
          await expect(page.locator('h1'), state).toHaveCount(1);
        };
        await walkAccountPage({ page, locale, check }, { cloud, hasScripts: javaScriptEnabled });
        const t = translationsOf(locale.code);
        await expect(page.getByText(t('common:signedOut.accountDeleted'))).toBeVisible();
        await expect(page.locator('header a[href^="/auth/sign-in"]').first()).toBeAttached();
      });
    });
  }

  test.describe(`JavaScript: ${javaScriptEnabled}`, () => {
    test.use({ javaScriptEnabled, expectedConsole: /status of 422/ });

    test('the menu of the header leads to the page, and the export is a download', async ({
      page,
      signUp,
    }) => {
      await signUp(EMAIL);
      await page.goto('/');
      if (javaScriptEnabled) await hydrate(page);
      await page.locator('header details > summary:visible').last().click();
      await page.locator('header details a[href="/account"]').click();
      await expect(page).toHaveURL('/account');
      await confirmAction(page, 'export', defaultLocale);
      const downloading = page.waitForEvent('download');
      await submit(page, 'export');
      const download = await downloading;
      expect(download.suggestedFilename()).toBe('account.json');
      const content = JSON.parse(readFileSync(await download.path(), 'utf8'));
      expect(content.account.attributes.email).toBe(EMAIL);
    });

    test('the password is changed, and no page contains it', async ({ page, signUp }) => {
      await signUp(EMAIL);
      await page.goto('/account');
      await confirmAction(page, 'change-password', defaultLocale);
      await page.locator('input[name="currentPassword"]').fill(PASSWORD);
      await submit(page, 'change-password');
      await expect(page.locator('input[name="newPassword"]')).toHaveAttribute('aria-invalid', 'true');
      expect(await page.content()).not.toContain(PASSWORD);
      await page.locator('input[name="currentPassword"]').fill(PASSWORD);
      await page.locator('input[name="newPassword"]').fill('a new and longer password');
      await submit(page, 'change-password');
      await expect(page.getByText(translationsOf('en')('account:password.changedOnly'))).toBeVisible();
      await expect(page.locator('input[name="newPassword"]')).toHaveCount(0);
    });
  });
}

test.describe('without a network', () => {
  test.use({ expectedConsole: /ERR_INTERNET_DISCONNECTED/ });
  test('what was typed stays', async ({ page, signUp, context }) => {
    await signUp(EMAIL);
    await page.goto(localizePath('/account', defaultLocale));
    await hydrate(page);
    await page.locator('input[name="name"]').fill(NAME);
    await context.setOffline(true);
    await submit(page, 'rename');
    await expect(formOf(page, 'rename').getByRole('alert')).toBeVisible();
    await expect(page.locator('input[name="name"]')).toHaveValue(NAME);
    await context.setOffline(false);
    await submit(page, 'rename');
    await completeSignIn(page, EMAIL);
    await expect(page.locator('input[name="name"]')).toHaveValue(NAME);
  });
});
