import type { Locale } from '../../i18n/locales.ts';
import { routeIdOf } from '../../i18n/localized-page.ts';
import type { Page } from '../../pages.ts';
import { deployWatch, isDataSaving } from '../browser-services.ts';
import { payloads } from '../page-data/browser-payloads.ts';
import { browserTranslations } from '../page-data/browser-translations.ts';

/**
 * Loads a page's code and translations before the visitor follows a link to it. Failures are ignored here, because the
 * navigation handles them.
 */
export function prefetchPage(page: Page, locale: Locale): void {
  if (deployWatch.isOutdated() || isDataSaving()) return;
  payloads
    .load(page, locale)
    .then(({ translations }) => browserTranslations.add(locale.code, translations), ignore);
  const route = window.__remixManifest.routes[routeIdOf(page, locale)];
  // The manifest lists a module's imports, so that all files load at the same time.
  for (const module of route ? [route.module, ...(route.imports ?? [])] : []) {
    import(/* @vite-ignore */ module).catch(ignore);
  }
}

function ignore() {}
