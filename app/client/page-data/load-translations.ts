import { defaultLocale, type Locale } from '../../i18n/locales.ts';
import type { Page } from '../../pages.ts';
import type { BrowserTranslations } from './browser-translations.ts';
import type { Payloads } from './payloads.ts';

/**
 * Loads the translations of a page that are missing, and on a change of locale also those of the default locale as a
 * fallback. A failure is logged and does not reject: callers check with `hasTranslations`.
 */
export async function loadTranslations(
  page: Page,
  locale: Locale,
  isLocaleChange: boolean,
  { translations, payloads }: { translations: BrowserTranslations; payloads: Payloads },
): Promise<void> {
  const needed = isLocaleChange && locale !== defaultLocale ? [locale, defaultLocale] : [locale];
  await Promise.all(
    needed
      .filter((candidate) => !hasTranslations(translations, page, candidate))
      .map(async (candidate) => {
        try {
          translations.add(candidate.code, (await payloads.load(page, candidate)).translations);
        } catch (error) {
          console.warn(`Failed to load translations for locale "${candidate.code}":`, error);
        }
      }),
  );
}

/** Whether the shared translations and the page's own are loaded in this locale. */
export function hasTranslations(translations: BrowserTranslations, page: Page, locale: Locale): boolean {
  return translations.has(locale.code, 'common') && translations.has(locale.code, page.namespace);
}
