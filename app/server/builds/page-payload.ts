/** A page's payload: the data that a client-side navigation needs besides the page's code. */
import type { ResourceLanguage } from 'i18next';
import type { Locale } from '../../i18n/locales.ts';
import { type PageHead, pageHead } from '../../i18n/localized-page.ts';
import type { Messages } from '../../i18n/messages.server.ts';
import type { Page } from '../../pages.ts';

export type PagePayload = {
  /** The build that wrote it. The pages of another build may need other messages. */
  buildId: string;
  messages: ResourceLanguage;
  head: PageHead;
};

/** Returns the payload of a page in a language. */
export function pagePayload(page: Page, locale: Locale, buildId: string, messages: Messages): PagePayload {
  return {
    buildId,
    messages: messages.of(locale.code, ['common', page.namespace]),
    head: pageHead(page, messages.instance(locale.code).t),
  };
}
