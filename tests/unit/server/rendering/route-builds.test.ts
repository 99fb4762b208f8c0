import type { ServerBuild } from '@remix-run/node';
import { describe, expect, it } from 'vitest';
import { locales, localizePath } from '../../../../app/i18n/locales.ts';
import { pages } from '../../../../app/pages.ts';
import { buildOfRoute } from '../../../../app/server/rendering/route-builds.ts';
import { createRouteFinder } from '../../../../app/server/rendering/route-finder.ts';
import remixConfig from '../../../../remix.config.js';

type DefineRoutes = (
  path: string | undefined,
  file: string,
  options: { id: string; index?: boolean },
) => void;

/** The site's own table of routes as a build has it, with the modules left out. */
function siteBuild(): ServerBuild {
  const routes: Record<string, object> = { root: { id: 'root', path: '' } };
  const table = remixConfig.routes as unknown as (
    define: (callback: (route: DefineRoutes) => void) => void,
  ) => void;
  table((callback) =>
    callback((path, _file, options) => {
      routes[options.id] = { parentId: 'root', path, caseSensitive: true, ...options };
    }),
  );
  // What is read here of a build is its routes.
  return { routes, assets: { version: '1', routes } } as unknown as ServerBuild;
}

const build = siteBuild();
const find = createRouteFinder(build.routes);
const pagePaths = locales.flatMap((locale) => pages.map(({ slug }) => localizePath(`/${slug}`, locale)));
const resourcePaths = [
  '/api/graphql',
  '/auth/callback',
  '/preferences',
  '/sitemap.xml',
  '/api/icons/lucide.json',
];

describe('the part of the build that answers one route', () => {
  it.each([...pagePaths, ...resourcePaths])('answers %s by the same route as the whole', (path) => {
    const routeId = find(path);
    expect(routeId).not.toBe('not-found');
    const part = buildOfRoute(build, routeId);
    expect(createRouteFinder(part.routes)(path)).toBe(routeId);
    expect(Object.keys(part.routes).length).toBeLessThan(7);
    expect(Object.keys(part.assets.routes)).toEqual(Object.keys(part.routes));
  });

  it('has the pages in the language of the page, which its document tells the browser of', () => {
    expect(Object.keys(buildOfRoute(build, 'test-message___fr').routes).sort()).toEqual([
      'index___en',
      'index___fr',
      'root',
      'test-message___fr',
      'typography-demo___fr',
    ]);
  });

  it.each([null, 'not-found', 'no-such-route'])('is the whole of it for %s', (routeId) => {
    expect(buildOfRoute(build, routeId)).toBe(build);
  });
});
