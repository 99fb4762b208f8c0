/** The part of a page's data that is the same for every visitor: its words and what its head says. */
import type { AppLoadContext } from '@remix-run/node';
import type { ResourceLanguage } from 'i18next';
import { type Locale, type LocaleCode, localeOfPath } from '../../i18n/locales.ts';
import { type PageHead, pageHead } from '../../i18n/localized-page.ts';
import type { Messages } from '../../i18n/messages.server.ts';
import { type Page, type PageName, pageNamed } from '../../pages.ts';
import { isForDocument } from '../http/document-request.ts';
import { publicContext } from '../public-context.ts';
import { enterPage } from './page-rules.ts';

export type PageData = PageHead & { locale: LocaleCode; messages: ResourceLanguage };

/**
 * The static data of a page in the language of the request's path. The words are left out of what a script asks for:
 * it takes them from the page's payload, once. Throws the response of a page that the visitor may not enter.
 */
export async function pageData(
  name: PageName,
  { request, context }: { request: Request; context: AppLoadContext },
): Promise<PageData> {
  const page = pageNamed(name);
  await enterPage(page, { request, context });
  const locale = localeOfPath(new URL(request.url).pathname);
  const { messages } = publicContext(context, request);
  return {
    locale: locale.code,
    messages: isForDocument(request) ? messages.of(locale.code, [page.namespace]) : {},
    ...pageHead(page, messages.instance(locale.code).t),
  };
}

export type PagePayload = {
  /** The build that wrote it: another build's pages may need other words. */
  buildId: string;
  messages: ResourceLanguage;
  head: PageHead;
};

/** What a client-side navigation to the page needs besides its code. Nothing in it depends on who asks. */
export function pagePayload(page: Page, locale: Locale, buildId: string, messages: Messages): PagePayload {
  return {
    buildId,
    messages: messages.of(locale.code, ['common', page.namespace]),
    head: pageHead(page, messages.instance(locale.code).t),
  };
}
