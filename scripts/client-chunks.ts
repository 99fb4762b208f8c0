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
 * page can do without any of them. The rest falls as it may, but for the smallest pieces, which join others.
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
              rollupOptions: { output: { manualChunks: chunkOf, experimentalMinChunkSize: 5000 } },
            },
          },
  };
}

function chunkOf(id: string, graph: Graph): string | undefined {
  if (id.includes('/node_modules/')) return 'packages';
  return isInFirstView(id, graph) ? 'entry.client' : undefined;
}

/** Whether the entry imports a module, by itself or through others. */
function isInFirstView(id: string, graph: Graph, seen = new Set<string>()): boolean {
  if (id.endsWith('/app/entry.client.ts')) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return graph.getModuleInfo(id)?.importers.some((importer) => isInFirstView(importer, graph, seen)) ?? false;
}
