/**
 * The part of a build that handles the requests of one route. Remix flattens and ranks its whole route table several
 * times for each request; with 42 routes that took a twelfth of the CPU time of a rendered page (record 004).
 */
import type { ServerBuild } from '@remix-run/node';
import { defaultLocale, locales } from '../../i18n/locales.ts';
import { routeIdOf } from '../../i18n/localized-page.ts';
import { pageNamed, pages } from '../../pages.ts';

/**
 * Returns `build` with only the routes that requests of `routeId` need: the route, and for a page those that its
 * document names for client-side navigation. Returns the whole build for an unknown route and for the 404 route.
 */
export function buildOfRoute(build: ServerBuild, routeId: string | null): ServerBuild {
  const route = routeId === null ? undefined : build.routes[routeId];
  if (!route || route.path === '*') return build;
  const ids = new Set(['root', route.id, ...neighborsOf(route.id)]);
  return {
    ...build,
    routes: pick(build.routes, ids),
    assets: { ...build.assets, routes: pick(build.assets.routes, ids) },
  };
}

/** The pages in the same language, and the home page at `/`, which Remix's client never discovers by itself. */
function neighborsOf(routeId: string): string[] {
  const locale = locales.find((candidate) => pages.some((page) => routeIdOf(page, candidate) === routeId));
  if (!locale) return [];
  return [routeIdOf(pageNamed('index'), defaultLocale), ...pages.map((page) => routeIdOf(page, locale))];
}

function pick<Value>(values: Record<string, Value>, names: ReadonlySet<string>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}
