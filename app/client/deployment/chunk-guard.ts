/**
 * Stands between Remix and the code of pages that is loaded on demand. Left alone, Remix answers a chunk that is gone by
 * reloading the page that is shown, without end; here the page that was asked for is loaded as a document, once.
 */
import { navigationTarget, shownAddress, untilDocumentIsLeft } from '../navigation/navigation.ts';
import { documentLoads } from '../tab-state/this-tab.ts';

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

/**
 * What takes the place of a page's code that cannot be had: the page is loaded as a document, or where that has just
 * been done in vain, is an error. It never rejects by itself: Remix would wait for it for ever.
 */
function standIn(error: unknown): RouteModule {
  return {
    default: () => null,
    async clientLoader() {
      const target = navigationTarget();
      if (target !== null && documentLoads.load(target)) await untilDocumentIsLeft();
      throw error;
    },
  };
}

/** Guards this tab. Called before hydration, when Remix has not read the cache yet. */
export function installChunkGuard(): void {
  const modules = window.__remixRouteModules;
  window.__remixRouteModules = guardRouteModules(modules, async (id) => {
    const route = window.__remixManifest.routes[id];
    try {
      const module: RouteModule = await import(/* @vite-ignore */ route?.module ?? id);
      modules[id] = module;
      return module;
    } catch (error) {
      // The route of a form alone is answered by the server: its module would have added nothing.
      return route?.hasClientLoader ? standIn(error) : { default: () => null };
    }
  });
  // Components that pages load lazily: Vite tells of those itself.
  window.addEventListener('vite:preloadError', (event) => {
    if (documentLoads.load(navigationTarget() ?? shownAddress())) event.preventDefault();
  });
}
