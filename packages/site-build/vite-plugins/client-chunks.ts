/** A Vite plugin that decides how the client's code is split into files and how it is minified. */
import type { Plugin, Terser } from 'vite';

type Graph = { getModuleInfo(id: string): { importers: readonly string[] } | null };

/** Terser's output is five percent smaller than that of Vite's default minifier. */
const terserOptions: Terser.MinifyOptions = {
  ecma: 2020,
  compress: {
    passes: 6,
    // No module reads a property only for the side effect of a getter.
    pure_getters: true,
    // Debug messages of i18next, and warnings for developers: of react-i18next, of Remix and its router, and of the site.
    pure_funcs: [
      'this.logger.log',
      'this.logger.warn',
      'this.logger.deprecate',
      'warnOnce',
      'warning',
      'console.warn',
    ],
  },
};

/**
 * Splits the client's code into few files, because each file is compressed separately:
 * - `entry.client`: the code of the first view, which pages also import;
 * - `packages`: the npm packages, which all pages need and which most deployments do not change;
 * - `site`: code of the root and code that several pages share;
 * - one file per page.
 */
export function clientChunks(): Plugin {
  return {
    name: 'tenfold:client-chunks',
    apply: 'build',
    config: (_config, { isSsrBuild }) =>
      isSsrBuild
        ? undefined
        : {
            build: {
              minify: 'terser',
              terserOptions,
              rollupOptions: { output: { manualChunks: chunkOf } },
            },
          },
  };
}

function chunkOf(id: string, graph: Graph): string | undefined {
  const importers = [...importersOf(id, graph)];
  // This includes the bundler's helper modules for packages. In another file they would cause a circular import.
  if (importers.some((importer) => importer.includes('/node_modules/'))) return 'packages';
  // The root's module stays separate. Otherwise dynamic imports of these files would load its stylesheet first.
  if (/\/app\/root\.tsx$|\.css$/.test(id)) return undefined;
  const isFor = (file: string) => importers.some((importer) => importer.endsWith(`/app/${file}`));
  if (isFor('entry.client.ts')) return 'entry.client';
  const pages = importers.filter((importer) => /\/app\/pages\/([^/]+)\/\1\.tsx$/.test(importer));
  return isFor('root.tsx') || isFor('client/hydration/hydrate.tsx') || pages.length > 1 ? 'site' : undefined;
}

/** A module and all modules that import it, directly or indirectly. */
function importersOf(id: string, graph: Graph, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const importer of graph.getModuleInfo(id)?.importers ?? []) importersOf(importer, graph, found);
  return found;
}
