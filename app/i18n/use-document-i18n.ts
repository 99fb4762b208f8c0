/** The i18next instance that a document is written with: the server's own while it renders, the browser's afterwards. */
import { useMatches } from '@remix-run/react';
import type { i18n, ResourceLanguage } from 'i18next';
import { useContext } from 'react';
import { DocumentContext } from '../components/document/document-context.ts';
import { browserWords } from './browser-words.ts';
import type { LocaleCode } from './locales.ts';

/** The instance for `locale`. In the browser it knows the words that came with the document and those loaded since. */
export function useDocumentI18n(locale: LocaleCode): i18n {
  const document = useContext(DocumentContext);
  const matches = useMatches();
  if (document) return document.i18n;
  // Adding what is there already changes nothing, so rendering may do it any number of times.
  for (const { data } of matches) {
    if (hasWords(data)) browserWords.add(data.locale, data.messages);
  }
  return browserWords.instance(locale);
}

/** Data that a loader of ours sent along with a document. */
function hasWords(data: unknown): data is { locale: LocaleCode; messages: ResourceLanguage } {
  return typeof data === 'object' && data !== null && 'locale' in data && 'messages' in data;
}
