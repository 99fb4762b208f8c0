import type { EntryContext } from '@remix-run/node';
import { RemixServer, Scripts } from '@remix-run/react';
import { createStaticHandler } from '@remix-run/router';
import i18next from 'i18next';
import type { ComponentType } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { DocumentContext } from '../../../../app/components/document/document-context.ts';
import { DocumentScripts, documentScript } from '../../../../app/components/document/document-scripts.tsx';
import { localeOfPath, locales, localizePath } from '../../../../app/i18n/locales.ts';
import { pages } from '../../../../app/pages.ts';
import { examplePath, forThisSite, other } from '../../../support/this-site.ts';

const FUTURE = {
  v3_fetcherPersist: true,
  v3_lazyRouteDiscovery: true,
  v3_relativeSplatPath: true,
  v3_singleFetch: true,
  v3_throwAbortReason: true,
};

/** Contains text that would end a script element, and a character that some engines treat as a line break. */
const TRANSLATIONS = '{"locale":"fr","translations":{}}';
const ROUTE_DATA = '[{"_1":2},"text","</script><!-- é \u2028"]\n';
const document = {
  requestId: '',
  buildId: '',
  i18n: i18next,
  theme: 'system',
  visitor: { state: 'anonymous' },
} as const;

/** The site's routes below the root, as in Remix's manifest. */
const entries = [
  { id: 'root', path: '' },
  ...pages.flatMap(({ name, slug }) =>
    locales.map((locale) => {
      const path = localizePath(`/${slug}`, locale).slice(1);
      return { id: `${name}___${locale.code}`, parentId: 'root', path, index: path === '' };
    }),
  ),
  { id: 'not-found', parentId: 'root', path: '*' },
].map((route) => ({
  ...route,
  module: `/assets/${route.id}.js`,
  hasAction: false,
  hasLoader: false,
  hasClientAction: false,
  hasClientLoader: false,
  hasErrorBoundary: false,
}));

/** The HTML of a document for `path` whose root component is `Root`. */
async function render(path: string, Root: ComponentType): Promise<string> {
  const children = entries
    .filter(({ id }) => id !== 'root')
    .map(({ id, path: at }) => (at === '' ? { id, index: true as const } : { id, path: at }));
  const { query } = createStaticHandler([{ id: 'root', path: '', children }]);
  const staticHandlerContext = await query(new Request(`http://localhost${path}`));
  if (staticHandlerContext instanceof Response) throw new Error('Unexpected response');
  const empty = { default: () => null };
  const context: EntryContext = {
    manifest: {
      version: 'a1',
      url: '/assets/manifest-a1.js',
      entry: { module: '/assets/entry.client-a1.js', imports: [] },
      routes: Object.fromEntries(entries.map((entry) => [entry.id, entry])),
    },
    routeModules: {
      ...Object.fromEntries(entries.map(({ id }) => [id, empty])),
      root: { default: Root },
    },
    serverHandoffString: JSON.stringify({ basename: '/', future: FUTURE, isSpaMode: false }),
    renderMeta: {},
    staticHandlerContext,
    future: FUTURE,
    isSpaMode: false,
    serializeError: ({ message }) => ({ message }),
  };
  const locale = localeOfPath(path);
  const script = documentScript({
    remix: context,
    routeData: ROUTE_DATA,
    locale,
    translations: TRANSLATIONS,
  });
  const entryModule = context.manifest.entry.module;
  return renderToString(
    <DocumentContext.Provider value={{ ...document, script, entryModule }}>
      <RemixServer context={context} url={`http://localhost${path}`} />
    </DocumentContext.Provider>,
  );
}

/** The contents of the script elements in `html`. */
const textsOf = (html: string) =>
  [...html.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, text = '']) => text);

/** The manifest and the module ids in the script of Remix's `<Scripts>`. */
function readRemix(html: string) {
  const [context = '', module = ''] = textsOf(html);
  const manifest = /window\.__remixManifest = (\{.*?\n\});/s.exec(module)?.[1] ?? '';
  const modules = /window\.__remixRouteModules = \{(.*)\};/.exec(module)?.[1] ?? '';
  return {
    context,
    manifest: JSON.parse(manifest),
    modules: [...modules.matchAll(/"([^"]+)":route\d/g)].map(([, id]) => id),
  };
}

/** Runs the script of `DocumentScripts`, and returns the global variables that it sets. */
function runScript(html: string) {
  const window: Record<string, Record<string, unknown>> = {};
  const [text = ''] = textsOf(html);
  new Function('window', 'Blob', text)(window, Blob);
  return { text, window };
}

describe('DocumentScripts', () => {
  it.each(forThisSite(['/', '/fr', '/fr/test-message', '/typography-demo', '/nowhere']))(
    'sets the same globals as Remix’s <Scripts> (%s)',
    async (path) => {
      const remix = readRemix(await render(path, () => <Scripts />));
      const { text, window } = runScript(await render(path, () => <DocumentScripts />));
      const [before] = remix.context.split('window.__remixContext.stream');
      expect(before).toContain('window.__remixContext = {');
      expect(text.startsWith(before ?? '')).toBe(true);
      expect(Object.keys(window.__remixRouteModules ?? {})).toEqual(remix.modules);
      const { routes, ...manifest } = remix.manifest;
      expect(window.__remixManifest).toMatchObject(manifest);
      expect(window.__remixManifest?.routes).toMatchObject(routes);
    },
  );

  it('contains the route data as the stream that Remix’s client reads', async () => {
    const { window } = runScript(await render('/', () => <DocumentScripts />));
    const stream = window.__remixContext?.stream;
    expect(stream).toBeInstanceOf(ReadableStream);
    expect(await new Response(stream as ReadableStream).text()).toBe(ROUTE_DATA);
  });

  it('lists the routes of all pages in the page’s locale, so that their code can be prefetched', async () => {
    const { window } = runScript(await render(examplePath(other), () => <DocumentScripts />));
    expect(Object.keys(window.__remixManifest?.routes ?? {})).toEqual(
      expect.arrayContaining(pages.map(({ name }) => `${name}___${other.code}`)),
    );
  });

  it('loads one module', async () => {
    const html = await render('/', () => <DocumentScripts />);
    const tags = html.match(/<script[^>]*>/g);
    expect(tags).toHaveLength(2);
    expect(tags?.[1]).toContain('type="module"');
    expect(tags?.[1]).toContain('src="/assets/entry.client-a1.js"');
    expect(html).not.toContain('modulepreload');
  });
});
