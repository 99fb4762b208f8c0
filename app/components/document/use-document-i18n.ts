import { useMatches } from '@remix-run/react';
import type { i18n, ResourceLanguage } from 'i18next';
import { useContext } from 'react';
import { browserTranslations } from '~/client/page-data/browser-translations.ts';
import type { LocaleCode } from '~/i18n/locales.ts';
import { DocumentContext } from './document-context.ts';

/**
 * The i18next instance for a locale: the request's on the server, and in the browser one with the translations that
 * came with the document or were loaded since.
 */
export function useDocumentI18n(locale: LocaleCode): i18n {
  const document = useContext(DocumentContext);
  const matches = useMatches();
  if (document) return document.i18n;
  // Rendering may repeat this, because translations that are loaded already are not replaced.
  for (const { data } of matches) {
    if (hasTranslations(data)) browserTranslations.add(data.locale, data.translations);
  }
  return browserTranslations.instance(locale);
}

/** Whether this is data of the root loader or of a page loader, which include translations. */
function hasTranslations(data: unknown): data is { locale: LocaleCode; translations: ResourceLanguage } {
  return typeof data === 'object' && data !== null && 'locale' in data && 'translations' in data;
}
