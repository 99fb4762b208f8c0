/** The static part of a page's data on client-side navigation: from its payload, or from what this tab has already. */
import { type BrowserWords, browserWords } from '../../i18n/browser-words.ts';
import { defaultLocale, type Locale, type LocaleCode, localeOfPath } from '../../i18n/locales.ts';
import { type PageHead, pageHead } from '../../i18n/page-head.ts';
import { type Page, type PageName, pageNamed } from '../../pages.ts';
import { deployWatch, documentLoads, payloads } from '../tab-state/this-tab.ts';
import { addressToLeaveFor, navigationTarget, untilDocumentIsLeft } from './navigation.ts';
import { nextFrame } from './next-frame.ts';
import type { Payloads } from './payloads.ts';

/** As the server's loader gives it; the words are not in it, since the tab has them. */
export type LoadedPage = PageHead & { locale: LocaleCode; messages: Record<string, never> };

/**
 * For a page's `clientLoader`. Where the tab is of another build than the site, or the words cannot be had, the page is
 * loaded as a document in its place and this never resolves. Throws the 404 of an invalid address.
 */
export async function loadPage(
  name: PageName,
  { request, serverLoader }: { request: Request; serverLoader: () => Promise<unknown> },
): Promise<LoadedPage> {
  const page = pageNamed(name);
  const url = new URL(request.url);
  const locale = localeOfPath(url.pathname);

  if (page.isValid && !page.isValid(url)) throw pageNotFound(url);
  // Only the server can run it; it answers what has to be answered in the page's place.
  if (page.middleware?.length) await serverLoader();
  if (deployWatch.isOutdated()) await leaveIfPossible(addressToLeaveFor());

  const isSwitch = document.documentElement.lang !== locale.iso;
  await loadWords(page, locale, isSwitch, { words: browserWords, payloads });
  if (!hasWords(browserWords, page, locale) && !hasWords(browserWords, page, defaultLocale)) {
    await leaveIfPossible(navigationTarget());
    throw new Error(`There are no words for ${url.pathname}`);
  }
  await nextFrame();
  return { locale: locale.code, messages: {}, ...pageHead(page, browserWords.instance(locale.code).t) };
}

/** For the `clientLoader` of addresses that are no page: the server's answer to them is a document with a real status. */
export async function loadDocumentInstead(serverLoader: () => Promise<unknown>): Promise<unknown> {
  await leaveIfPossible(addressToLeaveFor());
  return serverLoader();
}

/**
 * Gets the words of a page that are not there yet and, on a switch of language, the default locale's to fall back on.
 * A failure is logged; whoever asked sees by the words whether it matters.
 */
export async function loadWords(
  page: Page,
  locale: Locale,
  isSwitch: boolean,
  { words, payloads }: { words: BrowserWords; payloads: Payloads },
): Promise<void> {
  const wanted = isSwitch && locale !== defaultLocale ? [locale, defaultLocale] : [locale];
  await Promise.all(
    wanted
      .filter((candidate) => !hasWords(words, page, candidate))
      .map(async (candidate) => {
        try {
          words.add(candidate.code, (await payloads.load(page, candidate)).messages);
        } catch (error) {
          console.warn(`Failed to load messages for locale "${candidate.code}":`, error);
        }
      }),
  );
}

function hasWords(words: BrowserWords, page: Page, locale: Locale): boolean {
  return words.has(locale.code, 'common') && words.has(locale.code, page.namespace);
}

/** Leaves for the document at `address`, if there is one and it was not tried a moment ago. */
async function leaveIfPossible(address: string | null): Promise<void> {
  if (address !== null && documentLoads.load(address)) await untilDocumentIsLeft();
}

function pageNotFound({ pathname, search }: URL): Response {
  return new Response(null, { status: 404, statusText: `Page Not Found: ${pathname}${search}` });
}
