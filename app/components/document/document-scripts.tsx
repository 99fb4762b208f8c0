import type { EntryContext } from '@remix-run/node';
import { useContext } from 'react';
import { toScript } from '~/i18n/inline-script.ts';
import { defaultLocale, type Locale } from '~/i18n/locales.ts';
import { routeIdOf } from '~/i18n/localized-page.ts';
import { pages } from '~/pages.ts';
import { DocumentContext } from './document-context.ts';

/**
 * The scripts of a document, in place of Remix's `<Scripts>`. That component loads the whole client at once, and has no
 * option to load it later. This one loads only `entry.client.ts`, beside the inline script of `documentScript`.
 *
 * In the browser it renders the same elements without content, and hydration leaves those of the server unchanged.
 */
export function DocumentScripts() {
  const documentContext = useContext(DocumentContext);
  return (
    <>
      <script
        data-site=""
        suppressHydrationWarning
        // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON that toScript or Remix escaped
        dangerouslySetInnerHTML={{ __html: documentContext?.script ?? '' }}
      />
      <script data-site="" suppressHydrationWarning type="module" async src={documentContext?.entryModule} />
    </>
  );
}

/** What Remix's client reads when it starts, and the texts of the page. */
export type ScriptData = {
  remix: Pick<EntryContext, 'manifest' | 'serverHandoffString' | 'staticHandlerContext'>;
  /** The data of all loaders, encoded by Remix. */
  routeData: string;
  locale: Locale;
  /**
   * The texts of the page as JavaScript. They are the same for every visitor. As data of a loader, Remix would encode them
   * anew for each document.
   */
  translations: string;
};

/**
 * The one inline script of a document, whose hash its Content-Security-Policy has. It sets the global variables that are
 * the interface between a Remix document and Remix's client (`__remixContext`, `__remixManifest`, `__remixRouteModules`),
 * as `<Scripts>` does: a unit test compares them. Route modules are null until `startClient` loads them.
 */
export function documentScript({ remix, routeData, locale, translations }: ScriptData): string {
  const { manifest, serverHandoffString, staticHandlerContext } = remix;
  if (!serverHandoffString) return '';
  const matchedIds = staticHandlerContext.matches.map(({ route }) => route.id);
  const routeIds = [
    ...matchedIds,
    // The pages to which most links lead. Remix's client discovers other routes when the document links to them.
    ...pages.map((page) => routeIdOf(page, locale)),
    // Remix's client never discovers the route at the root's own path.
    routeIdOf({ name: 'index' }, defaultLocale),
  ];
  const routes = Object.fromEntries(routeIds.map((id) => [id, manifest.routes[id]]));
  return [
    `window.__remixContext = ${serverHandoffString};`,
    `window.__remixContext.stream = new Blob([${toScript(routeData)}]).stream();`,
    `window.__remixManifest = ${toScript({ ...manifest, routes })};`,
    `window.__remixRouteModules = ${toScript(Object.fromEntries(matchedIds.map((id) => [id, null])))};`,
    `window.__translations = ${translations};`,
  ].join('');
}
