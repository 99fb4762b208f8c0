/** The parts of the site's pages that several tests use, in English. */
import { expect, type Locator, type Page } from '@playwright/test';
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

/** The link to a page in the site's navigation. */
export const navigationLink = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: t('nav.label') }).getByRole('link', { name: t(`nav.pages.${name}`) });

/** The sign-in link in the header, which only signed-out visitors see. */
export const signInLink = (page: Page): Locator =>
  page.getByRole('banner').getByRole('link', { name: t('account.signIn') });

/** The account menu in the header, which shows the visitor's email address. */
export const accountMenu = (page: Page, email: string): Locator =>
  page.locator('summary').filter({ hasText: email });

/** The text field for a new message. */
export const messageField = (page: Page): Locator => page.getByLabel(t('test-message:compose.label'));

export const sendButton = (page: Page): Locator =>
  page.getByRole('button', { name: t('test-message:compose.send') });

/** The confirmation that a message was sent. */
export const sentNotice = (page: Page): Locator => page.getByText(t('test-message:compose.sent'));

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
export async function expectPageAnnounced(page: Page, title: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeFocused();
  await expect(page).toHaveTitle(`${title} · ${siteName}`);
  await expect(
    page.locator('[aria-live="polite"]').filter({ hasText: `${title} · ${siteName}` }),
  ).toBeAttached();
}

/** Follows a link of the navigation on a hydrated page, and waits until the new page has the focus, which closes menus. */
export async function navigateTo(page: Page, name: string): Promise<void> {
  await navigationLink(page, name).click();
  await expectPageAnnounced(page, t(`${name}:title`));
}
