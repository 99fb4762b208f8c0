/** Walks through the pages and their states, for checks that every state must pass. */
import { expect } from '@playwright/test';
import { type Locale, localizePath } from '../../../app/i18n/locales.ts';
import { openPages } from '../../support/localized-pages.ts';
import { examplePath } from '../../support/this-site.ts';
import { type Walk, walkMenus } from './walk.ts';

/** The address of a page that does not exist. */
export const missingPath = (locale: Locale) => localizePath('/nowhere', locale);

/** The pages for visitors without a session, opened menus, error pages, and the offer of `other` language. */
export async function walkWithoutSession({ page, locale, check }: Walk, other: Locale): Promise<void> {
  for (const { name, slug } of openPages) {
    await page.goto(localizePath(`/${slug}`, locale));
    await check(name);
  }
  await walkMenus(page, check);
  // The site offers no language on a page in that language, and the root address leads to the visitor's language.
  if (other !== locale && examplePath(other) !== '/') {
    await page.goto(examplePath(other));
    await expect(page.locator('[data-words="language-offer"]')).toBeVisible();
    await check('offer of another language');
  }
  await page.goto(missingPath(locale));
  await check('page for unknown addresses');
  await page.goto(localizePath('/%00', locale));
  await check('rejected request');

  const home = localizePath('/', locale);
  await page.goto(`/auth/sign-in?returnTo=${home}`);
  const state = new URL(page.url()).searchParams.get('state') ?? '';
  await page.goto(`/auth/callback?error=server_error&state=${state}`);
  await expect(page.getByRole('alert')).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(home);
  await check('failed sign-in');
}
