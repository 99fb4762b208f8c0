import type { ServerBuild } from '@remix-run/node';

const Empty = () => null;

/**
 * Returns the smallest build that Remix accepts: a page, the resource route `/resource`, and the same options as the site.
 * `loader` is that of the page and of the resource.
 */
export function minimalBuild(loader: () => unknown, assetRoutes: object = {}): ServerBuild {
  const route = (id: string, path: string, parentId?: string) => ({
    id,
    path,
    parentId,
    module: { default: Empty, ErrorBoundary: Empty, ...(id === 'root' ? { loader } : {}) },
  });
  const build: Partial<Record<keyof ServerBuild, unknown>> = {
    routes: {
      root: route('root', ''),
      resource: { id: 'resource', path: 'resource', parentId: 'root', module: { loader } },
      all: route('all', '*', 'root'),
    },
    entry: { module: { default: () => new Response(), handleError() {} } },
    assets: { version: '1', routes: assetRoutes, entry: {}, url: '' },
    future: { v3_singleFetch: true, v3_lazyRouteDiscovery: true },
    publicPath: '/',
    basename: '/',
    isSpaMode: false,
  };
  // Only what the handler reads for these requests.
  return build as ServerBuild;
}
