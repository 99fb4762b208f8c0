/** The pages of the site in every locale, as `app/pages.ts` and `app/i18n/locales.ts` list them. */
import { type Locale, locales } from '../../app/i18n/locales.ts';
import { pathOf } from '../../app/i18n/localized-page.ts';
import { isForMembers, type Page, pages } from '../../app/pages.ts';

type LocalizedPage = { page: Page; locale: Locale; path: string };

export const localizedPages: readonly LocalizedPage[] = pages.flatMap((page) =>
  locales.map((locale) => ({ page, locale, path: pathOf(page, locale) })),
);

export const pagePaths = localizedPages.map(({ path }) => path);

/** The pages that visitors without a session may open. */
export const openPages: readonly Page[] = pages.filter((page) => !isForMembers(page));

/** Those pages in every locale. */
export const openLocalizedPages = localizedPages.filter(({ page }) => openPages.includes(page));
