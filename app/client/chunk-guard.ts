/**
 * Stands between Remix and the code of pages that is loaded on demand. Left alone, Remix answers a chunk that is gone by
 * reloading the page that is shown, without end; here the page that was asked for is loaded as a document, once.
 */
import { navigationTarget, shownAddress, untilDocumentIsLeft } from './navigation.ts';
import { documentLoads } from './this-tab.ts';

type RouteModules = typeof window.__remixRouteModules;
type RouteModule = NonNullable<RouteModules[string]>;

/**
 * The cache of route modules, with one difference: whoever asks for a module that is not in it, by `id in modules` and
 * then `modules[id]` as Remix does before each import of its own, gets what `load` promises.
 */
export function guardRouteModules(
  modules: RouteModules,
  load: (id: string) => Promise<RouteModule>,
): RouteModules {
  let askedFor: PropertyKey | null = null;
  return new Proxy(modules, {
    has(target, id) {
      askedFor = id in target ? null : id;
      return true;
    },
    get(target, id) {
      const isMissing = askedFor === id && typeof id === 'string';
      askedFor = null;
      return isMissing ? load(id) : Reflect.get(target, id);
    },
  });
}

/** Guards this tab. Called before hydration, when Remix has not read the cache yet. */
export function installChunkGuard(): void {
  const modules = window.__remixRouteModules;
  window.__remixRouteModules = guardRouteModules(modules, async (id) => {
    try {
      const module: RouteModule = await import(
        /* @vite-ignore */ window.__remixManifest.routes[id]?.module ?? id
      );
      modules[id] = module;
      return module;
    } catch (error) {
      const target = navigationTarget();
      // The route of a form, whose answer comes from the server: its module would have added nothing.
      if (target === null) return { default: () => null };
      if (documentLoads.load(target)) return untilDocumentIsLeft();
      throw error;
    }
  });
  // Components that pages load lazily: Vite tells of those itself.
  window.addEventListener('vite:preloadError', (event) => {
    if (documentLoads.load(navigationTarget() ?? shownAddress())) event.preventDefault();
  });
}
