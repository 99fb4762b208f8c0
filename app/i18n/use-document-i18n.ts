/** The i18next instance that a document is written with: the server's own while it renders, one of ours afterwards. */
import { useMatches } from '@remix-run/react';
import { createInstance, type i18n, type ResourceLanguage } from 'i18next';
import { useContext, useRef } from 'react';
import { DocumentContext } from '../document-context.ts';
import { instanceOptions } from './instance.ts';
import type { LocaleCode } from './locales.ts';

/**
 * The instance for `locale`, filled with the messages that the loaders of the current routes brought along. It loads
 * nothing: what is on the page came with the page.
 */
export function useDocumentI18n(locale: LocaleCode): i18n {
  const document = useContext(DocumentContext);
  const browserInstance = useRef<i18n | null>(null);
  const messages = useMatches().map((match) => messagesOf(match.data));
  if (document) return document.i18n;

  if (browserInstance.current?.language !== locale) {
    browserInstance.current = createInstance();
    void browserInstance.current.init(instanceOptions(locale, { [locale]: {} }));
  }
  const instance = browserInstance.current;
  for (const [namespace, texts] of messages.flatMap((found) => Object.entries(found))) {
    if (!instance.hasResourceBundle(locale, namespace)) instance.addResourceBundle(locale, namespace, texts);
  }
  return instance;
}

function messagesOf(data: unknown): ResourceLanguage {
  const has = typeof data === 'object' && data !== null && 'messages' in data;
  return has ? (data.messages as ResourceLanguage) : {};
}
