/** A complete visit in three languages, with and without JavaScript. */
import type { Page } from '@playwright/test';
import { parseLocale } from '../../../app/i18n/locales.ts';
import { SEVERAL_MACHINES } from '../../support/processes/topology.ts';
import { completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { examplePage, examplePath } from '../../support/this-site.ts';
import { expect, test, waitForHydration } from '../support/fixtures.ts';
import { ignoreLongTimers } from '../support/page-states.ts';
import { accountMenu, expectStoredTheme } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

for (const code of ['en', 'ar', 'ja'] as const) {
  const locale = parseLocale(code);
  if (!locale) throw new Error(`${code} is not a locale`);
  const prefix = code === 'en' ? '' : `/${code}`;
  const t = translationsOf(code);

  for (const javaScriptEnabled of [true, false]) {
    test.describe(`in ${locale.name}, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
      test.use({ javaScriptEnabled, locale: 'en-US' });

      // Arabic includes the switch of the language. The other two differ in what is shown only.
      const tag = code === 'ar' ? [SEVERAL_MACHINES] : [];

      test('a visitor reads, switches language and theme, signs up, posts, deletes and signs out', {
        tag,
      }, async ({ page, cloud }) => {
        const email = `visitor-${code}-${javaScriptEnabled}@example.com`;
        const text = `1 < 2 & “${locale.ownName}” ✓`;
        // On a slow machine ten seconds pass before the deletion is confirmed.
        await page.addInitScript(ignoreLongTimers);

        await test.step('read and switch the language', async () => {
          await page.goto(`${examplePath()}?size=large`);
          await expect(page.locator('html')).toHaveAttribute('lang', 'en-US');
          if (code !== 'en') await switchLanguage(page, locale.ownName);
          await expect(page).toHaveURL(`${prefix}${examplePath()}?size=large`);
          await expect(page.locator('html')).toHaveAttribute('lang', locale.iso);
          await expect(page.locator('html')).toHaveAttribute('dir', locale.dir);
          await expect(page.getByRole('heading', { level: 1 })).toHaveText(
            t(`${examplePage.namespace}:title`),
          );
        });

        await test.step('switch the theme', async () => {
          await expect(page.locator('html')).toHaveAttribute('data-theme', 'system');
          await page.getByRole('button', { name: t('theme.dark') }).click();
          await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
          await expect(page).toHaveURL(`${prefix}${examplePath()}?size=large`);
          await expectStoredTheme(page, 'dark');
        });

        await test.step('create an account with the emailed code', async () => {
          await page.getByRole('link', { name: t('nav.pages.test-message'), exact: true }).click();
          await expect(page.getByRole('heading', { name: t('test-message:signedOut.title') })).toBeVisible();
          await page
            .getByRole('main')
            .getByRole('link', { name: t('account.signUp') })
            .click();
          await completeSignUp(page, cloud, email);
          await expect(page).toHaveURL(`${prefix}/test-message`);
          await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
          await expect(page.getByText(email).first()).toBeAttached();
        });

        await test.step('post a message and see it', async () => {
          await expect(page.getByText(t('test-message:list.empty'))).toBeVisible();
          if (javaScriptEnabled) await waitForHydration(page);
          await page.locator('textarea[name="content"]').fill(text);
          await page.getByRole('button', { name: t('test-message:compose.send') }).click();
          await expect(page.getByText(t('test-message:compose.sent'))).toBeVisible();
          await expect(page.getByRole('listitem').getByText(text, { exact: true })).toHaveAttribute(
            'dir',
            'auto',
          );
          await expect(page.locator('textarea[name="content"]')).toHaveValue('');
          await expect(page.getByRole('heading', { name: t('test-message:timing.title') })).toBeVisible();
        });

        await test.step('delete it', async () => {
          await page
            .getByRole('button', { name: new RegExp(t('test-message:list.delete')) })
            .last()
            .click();
          if (!javaScriptEnabled) {
            await expect(page.getByText(t('test-message:list.confirm'))).toBeVisible();
            await page.getByRole('button', { name: t('test-message:list.delete'), exact: true }).click();
          }
          await expect(page.getByText(t('test-message:list.deleted'))).toBeVisible();
          if (javaScriptEnabled) {
            await page.getByRole('button', { name: t('test-message:list.dismiss'), exact: true }).click();
          }
          await expect(page.getByText(t('test-message:list.empty'))).toBeVisible();
        });

        await test.step('sign out of the site and of the hosted login', async () => {
          await accountMenu(page, email).click();
          await page.getByRole('button', { name: t('account.signOut') }).click();
          await expect(page).toHaveURL(prefix || '/');
          await expect(
            page.getByRole('banner').getByRole('link', { name: t('account.signIn') }),
          ).toBeVisible();
          const cookies = await page.context().cookies();
          expect(cookies.filter(({ name }) => name.startsWith('session'))).toEqual([]);
          await page.goto(`${prefix}/test-message`);
          await page
            .getByRole('main')
            .getByRole('link', { name: t('account.signIn'), exact: true })
            .click();
          await expect(page.locator('input[name="password"]')).toBeVisible();
        });
      });
    });
  }
}

async function switchLanguage(page: Page, ownName: string): Promise<void> {
  await page.locator('summary').filter({ hasText: 'English' }).click();
  await page.getByRole('button', { name: ownName, exact: true }).click();
}
