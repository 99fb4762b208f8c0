/** The part of a page's data that is the same for every visitor: its head. */
import type { AppLoadContext } from '@remix-run/node';
import { type LocaleCode, localeOfPath } from '../../i18n/locales.ts';
import { type PageHead, pageHead } from '../../i18n/localized-page.ts';
import { type PageName, pageNamed } from '../../pages.ts';
import { isDocumentRequest } from '../http/document-request.ts';
import { shareImageOf } from './share-images.ts';

export type PageData = PageHead & {
  locale: LocaleCode;
  /**
   * The path of the image for links to the page. Only documents have one: no crawler navigates with client-side code.
   */
  shareImage: string | null;
};

/** Returns a page's static data in the language of the request's path. */
export async function pageData(
  name: PageName,
  { request, context }: { request: Request; context: AppLoadContext },
): Promise<PageData> {
  const page = pageNamed(name);
  const locale = localeOfPath(new URL(request.url).pathname);
  const { translations } = context;
  return {
    locale: locale.code,
    shareImage: isDocumentRequest(request.headers) ? shareImageOf(page, locale) : null,
    ...pageHead(page, translations.instance(locale.code).t),
  };
}
