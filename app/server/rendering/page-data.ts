/** The part of a page's data that is the same for every visitor: its head. */
import type { AppLoadContext } from '@remix-run/node';
import { isDocumentRequest } from '@tenfold/cognito-session';
import type { LocaleCode } from '../../i18n/locales.ts';
import { type PageHead, pageHead } from '../../i18n/localized-page.ts';
import { type PageName, pageNamed } from '../../pages.ts';
import { requestLocale } from '../preferences/locale-detection.ts';
import { shareImageOf } from './share-images.ts';

export type PageData = PageHead & {
  locale: LocaleCode;
  /**
   * The path of the image for links to the page. Only documents have one: no crawler navigates with client-side code.
   */
  shareImage: string | null;
};

/** Returns a page's static data in the language of the request. */
export async function pageData(
  name: PageName,
  args: { request: Request; context: AppLoadContext },
): Promise<PageData> {
  const page = pageNamed(name);
  const locale = await requestLocale(args);
  return {
    locale: locale.code,
    shareImage: isDocumentRequest(args.request.headers) ? shareImageOf(locale) : null,
    ...pageHead(page, await args.context.i18n.getFixedT(locale.code)),
  };
}
