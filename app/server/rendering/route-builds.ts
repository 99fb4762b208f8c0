/** Remix reads the whole table of routes several times for each request: here it gets only what the request is about. */
import type { ServerBuild } from '@remix-run/node';
import { defaultLocale } from '../../i18n/locales.ts';
import { pages } from '../../pages.ts';

/**
 * The part of `build` that answers requests of one route: the route itself, and of a page those that its document
 * tells the browser of. The whole of it where the route is not known, and for what is at no route's path.
 */
export function buildOfRoute(build: ServerBuild, routeId: string | null): ServerBuild {
  const route = routeId === null ? undefined : build.routes[routeId];
  if (!route || route.path === '*') return build;
  const ids = ['root', ...neighboursOf(route.id), route.id];
  return {
    ...build,
    routes: pick(build.routes, ids),
    assets: { ...build.assets, routes: pick(build.assets.routes, ids) },
  };
}

/** The pages in the same language, and the one at the root's own path, which Remix's client never asks for. */
function neighboursOf(routeId: string): string[] {
  const [, language] = routeId.split('___');
  if (language === undefined) return [];
  return [...pages.map(({ name }) => `${name}___${language}`), `index___${defaultLocale.code}`];
}

function pick<Value>(values: Record<string, Value>, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}
