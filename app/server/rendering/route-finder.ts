/** Which route a path belongs to, as Remix's own router sees it: no second reading of paths that could disagree. */
import type { ServerBuild } from '@remix-run/node';
import { matchRoutes } from '@remix-run/react';
import { LRUCache } from 'lru-cache';

/** The id of the route that answers `path`, which is undecoded and without its query; null for none. */
export type RouteFinder = (path: string) => string | null;

type Routes = ServerBuild['routes'];
type RouteTree = Parameters<typeof matchRoutes>[0];

const MAX_REMEMBERED = 1000;

/** A finder for the routes of a build. */
export function createRouteFinder(routes: Routes): RouteFinder {
  const tree = childrenOf(undefined, routes);
  const remembered = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  return (path) => {
    const known = remembered.get(path);
    if (known !== undefined) return known;
    const id = matchRoutes(tree, withoutDataSuffix(path))?.at(-1)?.route.id ?? null;
    if (id !== null) remembered.set(path, id);
    return id;
  };
}

/** Scripts ask for a route's data at its path with a suffix (Remix's single fetch). */
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
