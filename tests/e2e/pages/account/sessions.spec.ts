/** One browser ends the session of another one, on several machines that share a store. */
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { defaultLocale } from '../../../../app/i18n/locales.ts';
import { redisProgram } from '../../../support/processes/redis.ts';
import { PASSWORD } from '../../../support/sign-in/hosted-login.ts';
import { completeSignIn } from '../../../support/sign-in/hosted-login-pages.ts';
import { examplePath } from '../../../support/this-site.ts';
import { expect, hydrate, test } from '../../support/fixtures.ts';
import { translationsOf } from '../../support/translations.ts';
import { confirmAction, EMAIL, submit } from './page-states.ts';

const t = translationsOf('en');
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

test.skip(redisProgram === null, 'the store needs Redis');
test.use({ topology: 'four machines, one store' });

/** Signs in in another browser. */
async function openOther(
  browser: Browser,
  baseURL: string,
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ baseURL, userAgent: FIREFOX });
  const page = await context.newPage();
  await page.goto('/auth/sign-in?returnTo=/account');
  await completeSignIn(page, EMAIL);
  await expect(page).toHaveURL('/account');
  return { context, page };
}

const expectSignedOut = async (page: Page) => {
  await page.goto(examplePath());
  await expect(page.getByText(t('common:sessionEnded.title'))).toBeVisible();
};

for (const javaScriptEnabled of [true, false]) {
  test.describe(`JavaScript: ${javaScriptEnabled}`, () => {
    test.use({ javaScriptEnabled });

    test('one browser signs another one out, which says so', async ({ page, signUp, browser, site }) => {
      await signUp(EMAIL);
      const other = await openOther(browser, site.origin);
      await page.goto('/account');
      if (javaScriptEnabled) await hydrate(page);
      const items = page.locator('#sessions li');
      await expect(items).toHaveCount(2);
      await expect(items.first()).toContainText(t('account:sessions.current'));
      const named = t('account:sessions.device', { browser: 'Firefox', system: 'Windows' });
      await expect(items.last()).toContainText(named);
      await items.last().getByRole('button').click();
      await expect(page.getByText(t('account:sessions.ended'))).toBeVisible();
      await expect(items).toHaveCount(1);
      await expectSignedOut(other.page);
      await other.context.close();
      await page.reload();
      await expect(items).toHaveCount(1);
    });
  });
}

test('a new password signs out everywhere else', async ({ page, signUp, browser, site }) => {
  await signUp(EMAIL);
  const other = await openOther(browser, site.origin);
  await page.goto('/account');
  await confirmAction(page, 'change-password', defaultLocale);
  await page.locator('input[name="currentPassword"]').fill(PASSWORD);
  await page.locator('input[name="newPassword"]').fill('a new and longer password');
  await submit(page, 'change-password');
  await expect(page.getByText(t('account:password.changed'))).toBeVisible();
  await expectSignedOut(other.page);
  await other.context.close();
});

test('one button signs out everywhere else', async ({ page, signUp, browser, site }) => {
  await signUp(EMAIL);
  const others = [await openOther(browser, site.origin), await openOther(browser, site.origin)];
  await page.goto('/account');
  await page.getByRole('button', { name: t('account:sessions.endOthers') }).click();
  await expect(page.getByText(t('account:sessions.othersEnded'), { exact: true })).toBeVisible();
  for (const { page: other, context } of others) {
    await expectSignedOut(other);
    await context.close();
  }
});
