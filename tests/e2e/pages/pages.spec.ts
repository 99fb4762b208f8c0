/** The language and the theme of pages, and paths without a page. */
import { localizePath } from '../../../app/i18n/locales.ts';
import { openPages } from '../../support/localized-pages.ts';
import { another, examplePath, mirrored } from '../../support/this-site.ts';
import { expect, test } from '../support/fixtures.ts';
import { expectStoredTheme, openHydrated } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');

test('a theme chosen with JavaScript changes the page and keeps history and hash', async ({ page }) => {
  await openHydrated(page, '/#main');
  const before = await page.evaluate(() => history.length);
  await page.getByRole('button', { name: t('theme.dark') }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expectStoredTheme(page, 'dark');
  await page.waitForFunction(() =>
    [...window.__remixRouter.state.fetchers.values()].every(({ state }) => state === 'idle'),
  );
  await expect(page).toHaveURL('/#main');
  expect(await page.evaluate(() => history.length)).toBe(before);
});

test('a client-side navigation to the home page keeps the language', async ({ page, context, site }) => {
  await openHydrated(page, examplePath());
  await context.setExtraHTTPHeaders({ 'accept-language': another.code });
  await page
    .getByRole('banner')
    .getByRole('link', { name: t('nav.pages.index'), exact: true })
    .click();
  await expect(page).toHaveURL(`${site.origin}/`);
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-US');
});

test('a path without a page is a 404 in the language of the path', async ({ page }) => {
  const translate = translationsOf(mirrored.code);
  const response = await page.goto(localizePath('/nowhere?x=1', mirrored));
  expect(response?.status()).toBe(404);
  await expect(page.locator('html')).toHaveAttribute('lang', mirrored.iso);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(translate('error.404.title'));
  await expect(page.getByText('404').first()).toBeVisible();
  const main = page.getByRole('main');
  await expect(main.getByRole('link', { name: translate('error.home') })).toBeVisible();
  for (const { name } of openPages.filter(({ name }) => name !== 'index')) {
    const text = translate(`nav.pages.${name}`);
    await expect(main.getByRole('link', { name: text, exact: true })).toBeVisible();
  }
  await expect(page.getByText(translate('error.requestIdNote'))).toBeVisible();
  await expect(page.locator('link[rel="canonical"]')).toHaveCount(0);
});

test('the theme follows the system, and an explicit choice overrides it', async ({ page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/');
  const light = await background();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(background).not.toBe(light);
  await page.getByRole('button', { name: t('theme.light') }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await expect.poll(background).toBe(light);
  await expectStoredTheme(page, 'light');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
});
