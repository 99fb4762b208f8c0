import { UNSAFE_RemixContext, type UNSAFE_RemixContextObject, useMatches } from '@remix-run/react';
import { useContext } from 'react';
import { DocumentContext } from '~/components/document/document-context.ts';
import { useLocale } from '~/i18n/use-locale.ts';
import { pages } from '~/pages.ts';

/**
 * The scripts of a document, in place of Remix's `<Scripts>`: the same data under the same names, but of the code only
 * the first part, `entry.client.ts`. Which route modules the document was written with stands in
 * `__remixRouteModules`, for when they are needed. Like Remix's it is written on the server and left alone afterwards.
 */
export function DocumentScripts({ nonce }: { nonce: string | undefined }) {
  const remix = useContext(UNSAFE_RemixContext);
  const data = useRouteData(remix);
  if (!remix) return null;
  return (
    <>
      <script
        nonce={nonce}
        suppressHydrationWarning
        // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON of the site's own, escaped below or by Remix
        dangerouslySetInnerHTML={{ __html: data }}
      />
      <script nonce={nonce} suppressHydrationWarning type="module" async src={remix.manifest.entry.module} />
    </>
  );
}

/** What Remix's client reads when it starts; nothing in the browser, where it stands in the document already. */
function useRouteData(remix: UNSAFE_RemixContextObject | undefined): string {
  const document = useContext(DocumentContext);
  const matched = useMatches().map(({ id }) => id);
  const { code } = useLocale();
  if (!import.meta.env.SSR || !remix?.serverHandoffString || !document) return '';
  const { manifest, serverHandoffString } = remix;
  // Those that are shown, those that most links lead to, and the one whose path is that of the root itself: Remix would
  // never ask for it. It asks for all others when it meets a link to them.
  const known = [...matched, ...pages.map(({ name }) => `${name}___${code}`), 'index___en'];
  const routes = Object.fromEntries(known.map((id) => [id, manifest.routes[id]]));
  return [
    `window.__remixContext = ${serverHandoffString};`,
    `window.__remixContext.stream = new Blob([${toScript(document.routeData)}]).stream();`,
    `window.__remixManifest = ${toScript({ ...manifest, routes })};`,
    `window.__remixRouteModules = ${toScript(Object.fromEntries(matched.map((id) => [id, null])))};`,
  ].join('');
}

/** JSON that ends no script element. */
function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
