// Which files the browser's code comes in, and how small they are made.
import type { Plugin, Terser } from 'vite';

type Graph = { getModuleInfo(id: string): { importers: readonly string[] } | null };

/** Terser's files are a twentieth smaller than those of Vite's own minifier, and it drops what is said by name here. */
const terserOptions: Terser.MinifyOptions = {
  ecma: 2020,
  compress: {
    passes: 3,
    // No module reads a property only for what a getter does.
    pure_getters: true,
    // What i18next says while it is debugged, and Remix's router to those who write routes.
    pure_funcs: ['this.logger.log', 'this.logger.warn', 'this.logger.deprecate', 'warning'],
  },
};

/**
 * What a first view carries is one file, however much of it the pages import too; the packages are another, since no
 * page can do without any of them and few deployments change them. A third is what every page has and what several
 * have; each page's own code is one more. Few files, because each begins its compression anew.
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
  // With what the bundler adds for them: anywhere else the two files would import each other, and neither could begin.
  if (importers.some((importer) => importer.includes('/node_modules/'))) return 'packages';
  // The root and its stylesheet stay apart: the first file would look for that before it loads what hydrates.
  if (/\/app\/root\.tsx$|\.css$/.test(id)) return undefined;
  const isFor = (file: string) => importers.some((importer) => importer.endsWith(`/app/${file}`));
  if (isFor('entry.client.ts')) return 'entry.client';
  const pages = importers.filter((importer) => /\/app\/pages\/([^/]+)\/\1\.tsx$/.test(importer));
  return isFor('root.tsx') || isFor('client/hydration/hydrate.tsx') || pages.length > 1 ? 'site' : undefined;
}

/** A module and all that import it, by themselves or through others. */
function importersOf(id: string, graph: Graph, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const importer of graph.getModuleInfo(id)?.importers ?? []) importersOf(importer, graph, found);
  return found;
}
