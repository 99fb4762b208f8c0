/** A page's payload: the data that a client-side navigation needs besides the page's code. */
import type { ResourceLanguage } from 'i18next';
import type { Locale } from '../../i18n/locales.ts';
import { type PageHead, pageHead } from '../../i18n/localized-page.ts';
import type { Translations } from '../../i18n/translations.server.ts';
import type { Page } from '../../pages.ts';

export type PagePayload = {
  /** The build that wrote it. The pages of another build may need other translations. */
  buildId: string;
  translations: ResourceLanguage;
  head: PageHead;
};

/** Returns the payload of a page in a language. */
export function pagePayload(
  page: Page,
  locale: Locale,
  buildId: string,
  translations: Translations,
): PagePayload {
  return {
    buildId,
    translations: translations.of(locale.code, ['common', page.namespace]),
    head: pageHead(page, translations.instance(locale.code).t),
  };
}
