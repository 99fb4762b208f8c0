import { useMatches } from '@remix-run/react';
import { useContext } from 'react';
import { toScript } from '~/i18n/inline-script.ts';
import { defaultLocale } from '~/i18n/locales.ts';
import { routeIdOf } from '~/i18n/localized-page.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { pages } from '~/pages.ts';
import { DocumentContext, type RemixHandoff } from './document-context.ts';

/**
 * The scripts of a document, in place of Remix's `<Scripts>`. That component loads the whole client at once, and has no
 * option to load it later. This one writes the same global variables (`__remixContext`, `__remixManifest`,
 * `__remixRouteModules`), which are the interface between a Remix document and Remix's client, but loads only
 * `entry.client.ts`. A unit test compares the variables with those of `<Scripts>`. `__translations` are the texts of the
 * page, which every visitor gets. As data of a loader, Remix would encode them anew for each document.
 *
 * In the browser it renders the same elements without content, and hydration leaves those of the server unchanged.
 */
export function DocumentScripts({ nonce }: { nonce: string | undefined }) {
  const remix = useContext(DocumentContext)?.remix;
  const matchedIds = useMatches().map(({ id }) => id);
  const locale = useLocale();
  const routeIds = [
    ...matchedIds,
    // The pages to which most links lead. Remix's client discovers other routes when the document links to them.
    ...pages.map((page) => routeIdOf(page, locale)),
    // Remix's client never discovers the route at the root's own path.
    routeIdOf({ name: 'index' }, defaultLocale),
  ];
  return (
    <>
      <script
        nonce={nonce}
        suppressHydrationWarning
        // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON that toScript or Remix escaped
        dangerouslySetInnerHTML={{ __html: remix ? writeGlobals(remix, matchedIds, routeIds) : '' }}
      />
      <script nonce={nonce} suppressHydrationWarning type="module" async src={remix?.manifest.entry.module} />
    </>
  );
}

/** JavaScript that sets the global variables. Route modules are null until `startClient` loads them. */
function writeGlobals(
  { manifest, serverHandoffString, routeData, translations }: RemixHandoff,
  matchedIds: readonly string[],
  routeIds: readonly string[],
): string {
  if (!serverHandoffString) return '';
  const routes = Object.fromEntries(routeIds.map((id) => [id, manifest.routes[id]]));
  return [
    `window.__remixContext = ${serverHandoffString};`,
    `window.__remixContext.stream = new Blob([${toScript(routeData)}]).stream();`,
    `window.__remixManifest = ${toScript({ ...manifest, routes })};`,
    `window.__remixRouteModules = ${toScript(Object.fromEntries(matchedIds.map((id) => [id, null])))};`,
    `window.__translations = ${translations};`,
  ].join('');
}
