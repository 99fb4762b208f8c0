/**
 * Loads the static part of a page's data on client-side navigation, from its payload or from translations loaded
 * before.
 */
import { type LocaleCode, localeOfPath } from '../../i18n/locales.ts';
import { type PageHead, pageHead } from '../../i18n/localized-page.ts';
import { type PageName, pageNamed, pageNotFound } from '../../pages.ts';
import { deployWatch, documentLoads } from '../browser-services.ts';
import { payloads } from '../page-data/browser-payloads.ts';
import { browserTranslations } from '../page-data/browser-translations.ts';
import { hasTranslations, loadTranslations } from '../page-data/load-translations.ts';
import { nextFrame } from './next-frame.ts';
import { isShown, pendingAddress, pendingAddressOfOtherPage } from './router-state.ts';

export type LoadedPage = PageHead & { locale: LocaleCode };

/**
 * For a page's `clientLoader`. If the server runs another build or the translations cannot be loaded, this loads the
 * page as a document and never resolves. Throws a 404 response for a URL that the page does not accept.
 */
export async function loadPage(
  name: PageName,
  { request, serverLoader }: { request: Request; serverLoader: () => Promise<unknown> },
): Promise<LoadedPage> {
  const page = pageNamed(name);
  const url = new URL(request.url);
  const locale = localeOfPath(url.pathname);

  if (page.isValid && !page.isValid(url)) throw pageNotFound(url);
  // Middleware runs on the server only. A response of the middleware is thrown here.
  if (page.middleware?.length) {
    await loadServerData<unknown>(request, serverLoader, () => isShown(request) || null);
  }
  if (deployWatch.isOutdated()) await loadDocument(pendingAddressOfOtherPage());

  const isLocaleChange = document.documentElement.lang !== locale.iso;
  await loadTranslations(page, locale, isLocaleChange, { translations: browserTranslations, payloads });
  if (!hasTranslations(browserTranslations, page, locale)) {
    await loadDocument(pendingAddress());
    throw new Error(`No translations for ${url.pathname}`);
  }
  await nextFrame();
  return {
    locale: locale.code,
    ...pageHead(page, browserTranslations.instance(locale.code).t),
  };
}

/**
 * For a `clientLoader`: the data of its `loader`. If the server cannot be reached, this is the data that the visitor has
 * seen, where `seenData` has some. Otherwise, and when Remix cannot read the response, as when the request is refused
 * (429, 503), this loads the page as a document, which says what is wrong, and never resolves. Rejects with what the
 * loader throws.
 */
export async function loadServerData<T>(
  { signal }: Request,
  serverLoader: () => Promise<T>,
  seenData: () => T | null = () => null,
): Promise<T> {
  try {
    return await serverLoader();
  } catch (error) {
    if (!(error instanceof Error) || signal.aborted) throw error;
    // `fetch` rejects with a `TypeError` without a network.
    const seen = error instanceof TypeError ? seenData() : null;
    if (seen !== null) return seen;
    await loadDocument(pendingAddress());
    throw error;
  }
}

/**
 * For the `clientLoader` of an address without a page. Loads the address as a document, so that the response has its
 * real HTTP status.
 */
export async function loadDocumentInstead(serverLoader: () => Promise<unknown>): Promise<unknown> {
  await loadDocument(pendingAddressOfOtherPage());
  return serverLoader();
}

/** For code that must not continue while the browser loads another document. */
export function neverResolves(): Promise<never> {
  return new Promise(() => {});
}

/**
 * Loads the document at `address`. Resolves only if that is not possible: there is no address, or it was tried
 * recently.
 */
async function loadDocument(address: string | null): Promise<void> {
  if (address !== null && documentLoads.load(address)) await neverResolves();
}
