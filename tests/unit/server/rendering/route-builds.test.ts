import type { ServerBuild } from '@remix-run/node';
import { describe, expect, it } from 'vitest';
import { locales, localizePath } from '../../../../app/i18n/locales.ts';
import { routeIdOf } from '../../../../app/i18n/localized-page.ts';
import { pages } from '../../../../app/pages.ts';
import { buildOfRoute } from '../../../../app/server/rendering/route-builds.ts';
import { createRouteFinder } from '../../../../app/server/rendering/route-finder.ts';
import remixConfig from '../../../../remix.config.js';
import { other } from '../../../support/this-site.ts';

type DefineRoutes = (
  path: string | undefined,
  file: string,
  options: { id: string; index?: boolean },
) => void;

/** A build with the site's own route table, without the route modules. */
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
  // Only the routes of a build are read here.
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

describe('the build of one route', () => {
  it.each([...pagePaths, ...resourcePaths])('matches %s to the same route as the whole build', (path) => {
    const routeId = find(path);
    expect(routeId).not.toBe('not-found');
    const part = buildOfRoute(build, routeId);
    expect(createRouteFinder(part.routes)(path)).toBe(routeId);
    // The root, the pages in one language, the home page in the default language, and the route itself.
    expect(Object.keys(part.routes).length).toBeLessThanOrEqual(pages.length + 3);
    expect(Object.keys(part.assets.routes)).toEqual(Object.keys(part.routes));
  });

  it('has the pages in the same language, which the document names for client-side navigation', () => {
    const inLanguage = pages.map((page) => routeIdOf(page, other));
    const part = buildOfRoute(build, `index___${other.code}`);
    expect(Object.keys(part.routes).sort()).toEqual(['root', 'index___en', ...inLanguage].sort());
  });

  it.each([null, 'not-found', 'no-such-route'])('is the whole build for %s', (routeId) => {
    expect(buildOfRoute(build, routeId)).toBe(build);
  });
});
