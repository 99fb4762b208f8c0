// The file that the bundle for browsers contains.
// @ts-expect-error The package has types for its exports only.
import { createClientRoutes } from '@remix-run/react/dist/esm/routes.js';
import { describe, expect, it, vi } from 'vitest';
import { loadMissingModules } from '~/client/navigation/route-module-fallback.ts';

type Modules = Parameters<typeof loadMissingModules>[0];
type Route = { id: string; lazy?: () => Promise<{ Component: unknown }>; Component?: unknown };

const home = { default: () => null };
const other = { default: () => null };

/** The routes that the installed Remix creates in a browser, by id. */
function createRoutes(modules: Modules): Record<string, Route> {
  const manifest = Object.fromEntries(
    ['home', 'other'].map((id) => [
      id,
      { id, path: id, module: `/assets/${id}.js`, hasLoader: true, hasClientLoader: true },
    ]),
  );
  const routes: Route[] = createClientRoutes(manifest, modules, null, {}, false);
  return Object.fromEntries(routes.map((route) => [route.id, route]));
}

describe('the modules of routes, as Remix uses them', () => {
  it('are not loaded before their routes are used', () => {
    const load = vi.fn();
    const routes = createRoutes(loadMissingModules({ home }, load));
    expect(routes.home).toMatchObject({ Component: home.default });
    expect(routes.home?.lazy).toBeUndefined();
    expect(routes.other?.lazy).toBeTypeOf('function');
    expect(load).not.toHaveBeenCalled();
  });

  it('are loaded by the site, and Remix imports none', async () => {
    const load = vi.fn(async () => other);
    const modules = loadMissingModules({ home }, load);
    const routes = createRoutes(modules);
    // Remix's own import of `/assets/other.js` would fail here, and would then reload the page.
    await expect(routes.other?.lazy?.()).resolves.toMatchObject({ Component: other.default });
    expect(load).toHaveBeenCalledExactlyOnceWith('other');
    expect(modules.other, 'where Remix looks for the titles of a page').toBe(other);
  });

  it('are loaded once for several uses', async () => {
    const load = vi.fn(async () => other);
    const { other: route } = createRoutes(loadMissingModules({}, load));
    await Promise.all([route?.lazy?.(), route?.lazy?.()]);
    await route?.lazy?.();
    expect(load).toHaveBeenCalledOnce();
  });
});
