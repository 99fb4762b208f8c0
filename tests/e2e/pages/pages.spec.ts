/** Accessibility, the language and the theme of pages, and paths without a page. */
import type { Page } from '@playwright/test';
import { defaultLocale, type Locale, locales, localizePath } from '../../../app/i18n/locales.ts';
import { pathOf } from '../../../app/i18n/localized-page.ts';
import { pages } from '../../../app/pages.ts';
import { openPages } from '../../support/localized-pages.ts';
import { another, examplePath, mirrored, other, otherHome } from '../../support/this-site.ts';
import { findViolations } from '../support/accessibility.ts';
import { expect, test } from '../support/fixtures.ts';
import { expectStoredTheme, openHydrated } from '../support/site-pages.ts';
import { translationsOf } from '../support/translations.ts';

const t = translationsOf('en');

for (const locale of locales.filter(({ code }) => ['en', 'ja', mirrored.code].includes(code))) {
  test(`no accessibility violations in a light and in a dark system: ${locale.name}`, async ({ page }) => {
    for (const path of [...openPages.map((each) => pathOf(each, locale)), localizePath('/nowhere', locale)]) {
      await page.goto(path);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect.soft(await findViolations(page), `${path}, ${colorScheme}`).toEqual([]);
      }
    }
  });
}

test.describe('a first visit', () => {
  // A language that the site does not have, and another region than that of the site.
  const region = `${other.code}-CA`;
  test.use({ locale: region, extraHTTPHeaders: { 'accept-language': `tlh, ${region};q=0.9, en;q=0.8` } });

  test('to / redirects to the language of the browser, which is stored in a cookie', async ({
    page,
    context,
  }) => {
    await page.goto('/?from=mail');
    await expect(page).toHaveURL(`${otherHome}?from=mail`);
    const cookie = (await context.cookies()).find(({ name }) => name === 'locale');
    expect(cookie).toMatchObject({ value: other.code, path: '/', sameSite: 'Lax' });
    const days = ((cookie?.expires ?? 0) * 1000 - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(365);
  });
});

test('a theme chosen with JavaScript changes the page and keeps history and hash', async ({ page }) => {
  await openHydrated(page, '/#main');
  const before = await page.evaluate(() => history.length);
  await page.getByRole('button', { name: t('theme.dark') }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expectStoredTheme(page, 'dark');
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
  for (const [path, locale] of [
    ['/nowhere?x=1', defaultLocale],
    ['/nowhere', mirrored],
    ['/a/b/c', another],
  ] as const) {
    await test.step(path, () => expectNotFound(page, localizePath(path, locale), locale));
  }
});

async function expectNotFound(page: Page, path: string, { iso, code }: Locale): Promise<void> {
  const translate = translationsOf(code);
  const response = await page.goto(path);
  expect(response?.status(), path).toBe(404);
  await expect(page.locator('html'), path).toHaveAttribute('lang', iso);
  const title = page.getByRole('heading', { level: 1 });
  await expect(title, path).toContainText(translate('error.404.title'));
  await expect(page.getByText('404').first(), path).toBeVisible();
  const main = page.getByRole('main');
  await expect(main.getByRole('link', { name: translate('error.home') }), path).toBeVisible();
  for (const { name } of pages.filter(({ name }) => name !== 'index')) {
    const text = translate(`nav.pages.${name}`);
    await expect(main.getByRole('link', { name: text, exact: true }), path).toBeVisible();
  }
  await expect(page.getByText(translate('error.requestIdNote')), path).toBeVisible();
  await expect(page.locator('link[rel="canonical"]'), path).toHaveCount(0);
}

test('the theme follows the system without JavaScript, and an explicit choice overrides it', async ({
  page,
}) => {
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
