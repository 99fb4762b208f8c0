/** A complete visit in two or three languages, with and without JavaScript. */
import type { Page } from '@playwright/test';
import { defaultLocale, locales, localizePath } from '../../../app/i18n/locales.ts';
import { pages } from '../../../app/pages.ts';
import { SEVERAL_MACHINES } from '../../support/processes/topology.ts';
import { completeSignUp } from '../../support/sign-in/hosted-login-pages.ts';
import { examplePage, examplePath, other } from '../../support/this-site.ts';
import { expect, test, waitForHydration } from '../support/fixtures.ts';
import { ignoreLongTimers } from '../support/page-states.ts';
import { accountMenu, expectStoredTheme } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const preferred = locales.filter(({ code }) => ['en', 'ar', 'ja'].includes(code));
const visited = preferred.length > 1 ? preferred : [defaultLocale, other];
/** A site may have removed the page with the messages. */
const hasMessages = pages.some(({ name }: { name: string }) => name === 'test-message');

for (const locale of visited) {
  const { code } = locale;
  const t = translationsOf(code);

  for (const javaScriptEnabled of [true, false]) {
    test.describe(`in ${locale.name}, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
      test.use({ javaScriptEnabled, locale: 'en-US' });

      // The second language includes the switch. The others differ in what is shown only.
      const tag = locale === visited[1] ? [SEVERAL_MACHINES] : [];
      const start = localizePath(hasMessages ? '/test-message' : examplePath(), locale);

      test('a visitor reads, switches language and theme, signs up, posts, deletes and signs out', {
        tag,
      }, async ({ page, cloud }) => {
        const email = `visitor-${code}-${javaScriptEnabled}@example.com`;
        const text = `1 < 2 & “${locale.ownName}” ✓`;
        // On a slow machine ten seconds pass before the deletion is confirmed.
        await page.addInitScript(ignoreLongTimers);

        await test.step('read and switch the language', async () => {
          await page.goto(`${examplePath()}?size=large`);
          await expect(page.locator('html')).toHaveAttribute('lang', defaultLocale.iso);
          if (locale !== defaultLocale) await switchLanguage(page, locale.ownName);
          await expect(page).toHaveURL(`${examplePath(locale)}?size=large`);
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
          await expect(page).toHaveURL(`${examplePath(locale)}?size=large`);
          await expectStoredTheme(page, 'dark');
        });

        await test.step('create an account with the emailed code', async () => {
          if (hasMessages) {
            await page.getByRole('link', { name: t('nav.pages.test-message'), exact: true }).click();
            await expect(
              page.getByRole('heading', { name: t('test-message:signedOut.title') }),
            ).toBeVisible();
          } else {
            await page.goto(start);
          }
          await page
            .getByRole(hasMessages ? 'main' : 'banner')
            .getByRole('link', { name: t('account.signUp') })
            .click();
          await completeSignUp(page, cloud, email);
          await expect(page).toHaveURL(start);
          await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
          await expect(page.getByText(email).first()).toBeAttached();
        });

        if (hasMessages) {
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
        }

        await test.step('sign out of the site and of the hosted login', async () => {
          await accountMenu(page, email).click();
          await page.getByRole('button', { name: t('account.signOut') }).click();
          await expect(page).toHaveURL(localizePath('/', locale));
          await expect(
            page.getByRole('banner').getByRole('link', { name: t('account.signIn') }),
          ).toBeVisible();
          const cookies = await page.context().cookies();
          expect(cookies.filter(({ name }) => name.startsWith('session'))).toEqual([]);
          await page.goto(start);
          await page
            .getByRole(hasMessages ? 'main' : 'banner')
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
