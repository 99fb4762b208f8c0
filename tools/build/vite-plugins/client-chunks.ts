/** A Vite plugin that decides how the client's code is split into files. */
import type { Plugin } from 'vite';

type Graph = { getModuleInfo(id: string): { importers: readonly string[] } | null };

/**
 * Splits the client's code into few files, because each file is compressed separately:
 * - `entry.client`: the code of the first view, which pages also import;
 * - `packages`: the npm packages that all pages need, which most deployments do not change;
 * - `site`: code of the root and code that several pages share;
 * - one file per page, and one per module that is imported dynamically, with the npm packages that only it needs.
 */
export function clientChunks(): Plugin {
  return {
    name: 'tenfold:client-chunks',
    apply: 'build',
    config: (_config, { isSsrBuild }) =>
      isSsrBuild ? undefined : { build: { rollupOptions: { output: { manualChunks: chunkOf } } } },
  };
}

function chunkOf(id: string, graph: Graph): string | undefined {
  const importers = [...importersOf(id, graph)];
  const isFor = (file: string) => importers.some((importer) => importer.endsWith(`/app/${file}`));
  const isForAllPages = isFor('root.tsx') || isFor('client/hydration/hydrate.tsx');
  // This includes the bundler's helper modules for packages. In another file they would cause a circular import.
  if (isForAllPages && importers.some((importer) => importer.includes('/node_modules/'))) return 'packages';
  // The root's module stays separate. Otherwise dynamic imports of these files would load its stylesheet first.
  if (/\/app\/root\.tsx$|\.css$/.test(id)) return undefined;
  if (isFor('entry.client.ts')) return 'entry.client';
  const pages = importers.filter((importer) => /\/app\/pages\/([^/]+)\/\1\.tsx$/.test(importer));
  return isForAllPages || pages.length > 1 ? 'site' : undefined;
}

/** A module and all modules that import it, directly or indirectly. */
function importersOf(id: string, graph: Graph, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const importer of graph.getModuleInfo(id)?.importers ?? []) importersOf(importer, graph, found);
  return found;
}
