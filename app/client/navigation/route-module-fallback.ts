/**
 * What happens when the JavaScript file of a page cannot be loaded. By default Remix reloads the current page, possibly
 * endlessly. Here the requested page is loaded as a document instead, once.
 *
 * Remix looks for a route module in the object `window.__remixRouteModules` before it imports the module itself, and has
 * no API for failed imports. That object is written by the site's own document (see `document-scripts.tsx`), so the site
 * replaces it with one that imports missing modules and handles failures.
 */
import { documentLoads } from '../browser-services.ts';
import { neverResolves } from './load-page.ts';
import { currentAddress, pendingAddress } from './router-state.ts';

type RouteModules = typeof window.__remixRouteModules;
type RouteModule = NonNullable<RouteModules[string]>;

/**
 * A cache of route modules that loads missing modules. Remix tests `id in modules` and then reads `modules[id]`, which
 * returns the promise of `load(id)` for a missing module. Reading without that test returns undefined, as in a plain
 * object.
 */
export function createRouteModuleCache(
  modules: RouteModules,
  load: (id: string) => Promise<RouteModule>,
): RouteModules {
  let testedId: PropertyKey | null = null;
  return new Proxy(modules, {
    has(target, id) {
      testedId = id in target ? null : id;
      return true;
    },
    get(target, id) {
      const isMissing = testedId === id && typeof id === 'string';
      testedId = null;
      return isMissing ? load(id) : Reflect.get(target, id);
    },
  });
}

/**
 * Replaces a page's module that failed to load. Its loader loads the page as a document, or throws `error` if that was
 * done moments ago. The import itself must not reject, because Remix would then wait endlessly.
 */
function fallbackModule(error: unknown): RouteModule {
  return {
    default: () => null,
    async clientLoader() {
      const address = pendingAddress();
      if (address !== null && documentLoads.load(address)) await neverResolves();
      throw error;
    },
  };
}

/** Installs the fallback. Must be called before hydration, when Remix reads `__remixRouteModules`. */
export function installRouteModuleFallback(): void {
  const modules = window.__remixRouteModules;
  window.__remixRouteModules = createRouteModuleCache(modules, async (id) => {
    const route = window.__remixManifest.routes[id];
    try {
      const module: RouteModule = await import(/* @vite-ignore */ route?.module ?? id);
      modules[id] = module;
      return module;
    } catch (error) {
      // A resource route has no code for the browser, so its module is not needed.
      return route?.hasClientLoader ? fallbackModule(error) : { default: () => null };
    }
  });
  // Vite reports failures of components that a page loads lazily.
  window.addEventListener('vite:preloadError', (event) => {
    if (documentLoads.load(pendingAddress() ?? currentAddress())) event.preventDefault();
  });
}
