/**
 * The pages of the site in every locale, as `app/pages.ts` and `app/i18n/locales.ts` list them, without those that have
 * parameters: only they know for which values there is a page.
 */
import { type Locale, locales, stripLocale } from '../../app/i18n/locales.ts';
import { hasParameters, pageAtPath, pathOf, plainPages } from '../../app/i18n/localized-page.ts';
import { isForMembers, type Page } from '../../app/pages.ts';

type LocalizedPage = { page: Page; locale: Locale; path: string };

export const localizedPages: readonly LocalizedPage[] = plainPages.flatMap((page) =>
  locales.map((locale) => ({ page, locale, path: pathOf(page, locale) })),
);

export const pagePaths = localizedPages.map(({ path }) => path);

/** The pages that visitors without a session may open. */
export const openPages: readonly Page[] = plainPages.filter((page) => !isForMembers(page));

/** Those pages in every locale. */
export const openLocalizedPages = localizedPages.filter(({ page }) => openPages.includes(page));

/** Whether an address is that of a page without parameters. */
export function isOfPlainPage(address: string): boolean {
  const page = pageAtPath(stripLocale(new URL(address).pathname));
  return page !== null && !hasParameters(page);
}
