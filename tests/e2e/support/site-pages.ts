/** The parts of the site's pages that several tests use, in English unless a language is given. */
import { expect, type Locator, type Page } from '@playwright/test';
import { defaultLocale } from '../../../app/i18n/locales.ts';
import type { Page as SitePage } from '../../../app/pages.ts';
import { siteName } from '../../../app/site-name.ts';
import type { Theme } from '../../../app/theme/theme.ts';
import { hydrate } from './fixtures.ts';
import { translationsOf } from './translations.ts';

const t = translationsOf('en');

/** Opens a page and hydrates it. */
export async function openHydrated(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await hydrate(page);
}

/** The link to a page in the navigation of the header or of the footer. */
export const navigationLink = (page: Page, name: string, { code } = defaultLocale): Locator =>
  page
    .getByRole('navigation')
    .getByRole('link', { name: translationsOf(code)(`nav.pages.${name}`), exact: true });

/** The sign-in link in the header, which only signed-out visitors see. */
export const signInLink = (page: Page): Locator =>
  page.getByRole('banner').getByRole('link', { name: t('account.signIn') });

/** The account menu in the header, which shows the visitor's email address. */
export const accountMenu = (page: Page, email: string): Locator =>
  page.locator('summary').filter({ hasText: email });

/** Waits until the browser has stored a theme, which a page may show before. A new document could cancel the request. */
export async function expectStoredTheme(page: Page, theme: Theme): Promise<void> {
  const stored = async () => (await page.context().cookies()).find(({ name }) => name === 'theme')?.value;
  await expect.poll(stored).toBe(theme);
}

/** Signs out through the account menu. */
export async function signOut(page: Page, email: string): Promise<void> {
  await accountMenu(page, email).click();
  await page.getByRole('button', { name: t('account.signOut') }).click();
}

/** Asserts that after a client-side navigation the main heading has the focus and the title is announced. */
export async function expectPageAnnounced(
  page: Page,
  { namespace }: SitePage,
  { code } = defaultLocale,
): Promise<void> {
  const heading = translationsOf(code)(`${namespace}:title`);
  const title = `${heading} · ${siteName}`;
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeFocused();
  await expect(page).toHaveTitle(title);
  await expect(page.locator('[aria-live="polite"]').filter({ hasText: title })).toBeAttached();
}
