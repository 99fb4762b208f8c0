/** Finds the route of a path with Remix's own matcher, so that both always agree. */
import type { ServerBuild } from '@remix-run/node';
import { matchRoutes } from '@remix-run/react';
import type { Step } from '@tenfold/site-server';
import { LRUCache } from 'lru-cache';

/** Returns the id of the route that handles `path`, which is not decoded and has no query, or null if there is none. */
type RouteFinder = (path: string) => string | null;

type Routes = ServerBuild['routes'];
type RouteTree = Parameters<typeof matchRoutes>[0];

const MAX_CACHED_PATHS = 1000;

/** Creates the step that notes the route of a request, for the limits, the log and the metrics. */
export function createRouteMatch({ build }: { build: Pick<ServerBuild, 'routes'> }): Step {
  const findRoute = createRouteFinder(build.routes);
  return (exchange) => {
    exchange.routeId = findRoute(exchange.path);
    return null;
  };
}

/** Creates a finder for the routes of a build. */
function createRouteFinder(routes: Routes): RouteFinder {
  const tree = childrenOf(undefined, routes);
  const cached = new LRUCache<string, string>({ max: MAX_CACHED_PATHS });
  return (path) => {
    const cachedId = cached.get(path);
    if (cachedId !== undefined) return cachedId;
    const id = matchRoutes(tree, withoutDataSuffix(path))?.at(-1)?.route.id ?? null;
    if (id !== null) cached.set(path, id);
    return id;
  };
}

/** Client-side code requests the data of a route at its path with a suffix (Remix's single fetch). */
function withoutDataSuffix(path: string): string {
  return path.endsWith('.data') ? path.slice(0, -'.data'.length).replace(/^\/_root$/, '/') : path;
}

function childrenOf(parentId: string | undefined, routes: Routes): RouteTree {
  return Object.values(routes)
    .filter((route) => route !== undefined && route.parentId === parentId)
    .flatMap((route) => (route ? [route] : []))
    .map(({ id, path, index, caseSensitive = false }) => {
      const own = { id, caseSensitive, ...(path === undefined ? {} : { path }) };
      return index ? { ...own, index } : { ...own, children: childrenOf(id, routes) };
    });
}
