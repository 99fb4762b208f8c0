/** Gets a page's code and words ready while the visitor is still on the way to its link. */
import { browserWords } from '../../i18n/browser-words.ts';
import type { Locale } from '../../i18n/locales.ts';
import type { Page } from '../../pages.ts';
import { deployWatch, isThrifty, payloads } from '../tab-state/this-tab.ts';

/** What fails here is nobody's concern: the navigation itself will tell. */
export function prefetchPage(page: Page, locale: Locale): void {
  if (deployWatch.isOutdated() || isThrifty()) return;
  payloads.load(page, locale).then(({ messages }) => browserWords.add(locale.code, messages), ignore);
  const route = window.__remixManifest.routes[`${page.name}___${locale.code}`];
  // What a module imports is named with it, so that all of it comes at once.
  for (const module of route ? [route.module, ...(route.imports ?? [])] : []) {
    import(/* @vite-ignore */ module).catch(ignore);
  }
}

function ignore() {}
