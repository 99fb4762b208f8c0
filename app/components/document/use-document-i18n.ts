import { useMatches } from '@remix-run/react';
import type { i18n, ResourceLanguage } from 'i18next';
import { useContext } from 'react';
import { browserMessages } from '~/client/page-data/browser-messages.ts';
import type { LocaleCode } from '~/i18n/locales.ts';
import { DocumentContext } from './document-context.ts';

/**
 * The i18next instance for a locale: the request's on the server, and in the browser one with the messages that came with
 * the document or were loaded since.
 */
export function useDocumentI18n(locale: LocaleCode): i18n {
  const document = useContext(DocumentContext);
  const matches = useMatches();
  if (document) return document.i18n;
  // Rendering may repeat this, because messages that are loaded already are not replaced.
  for (const { data } of matches) {
    if (hasMessages(data)) browserMessages.add(data.locale, data.messages);
  }
  return browserMessages.instance(locale);
}

/** Whether this is data of the root loader or of a page loader, which include messages. */
function hasMessages(data: unknown): data is { locale: LocaleCode; messages: ResourceLanguage } {
  return typeof data === 'object' && data !== null && 'locale' in data && 'messages' in data;
}
