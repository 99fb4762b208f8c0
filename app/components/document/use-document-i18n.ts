import type { i18n } from 'i18next';
import { useContext } from 'react';
import { browserTranslations } from '~/client/page-data/browser-translations.ts';
import type { LocaleCode } from '~/i18n/locales.ts';
import { DocumentContext } from './document-context.ts';

/**
 * The i18next instance for a locale: the request's on the server, and in the browser one with the translations that
 * came with the document or were loaded since. If those of the locale could not be loaded, it has another language.
 */
export function useDocumentI18n(locale: LocaleCode): i18n {
  return useContext(DocumentContext)?.i18n ?? browserTranslations.instance(browserTranslations.shown(locale));
}
