/**
 * What happens when the JavaScript file of a page cannot be loaded. By default Remix reloads the current page, possibly
 * endlessly. Here the requested page is loaded as a document instead, once.
 *
 * Remix has no API for failed imports. This is the only file that relies on how `@remix-run/react` 2 finds the module of
 * a route, which is by two statements:
 * - `createClientRoutes` (`routes.js`) reads `routeModulesCache[route.id]`. A route whose module is undefined is lazy: its
 *   first use calls `loadRouteModule`.
 * - `loadRouteModule` (`routeModules.js`) is an async function that begins with
 *   `if (route.id in routeModulesCache) return routeModulesCache[route.id]`. The import that reloads the page comes after
 *   it. An async function may return a promise of the module.
 *
 * A unit test runs both functions of the installed package.
 */
import { formClientAction } from '../../forms/send-form.ts';
import { documentLoads } from '../browser-services.ts';
import { neverResolves } from './load-page.ts';
import { currentAddress, pendingAddress } from './router-state.ts';

type RouteModules = typeof window.__remixRouteModules;
type RouteModule = NonNullable<RouteModules[string]>;

/**
 * The same modules, but `id in modules` is always true: it begins to load a missing module, and stores the promise under
 * the id until the module is there. `load` must not reject, because Remix would then wait endlessly.
 */
export function loadMissingModules(
  modules: RouteModules,
  load: (id: string) => Promise<RouteModule>,
): RouteModules {
  const loadModule = async (id: string) => {
    const module = await load(id);
    modules[id] = module;
    return module;
  };
  return new Proxy(modules, {
    has(target, id: string) {
      // Not an assignment, because the type of the object has no promises.
      if (!(id in target)) Reflect.set(target, id, loadModule(id));
      return true;
    },
  });
}

/** The module of a route. If it cannot be loaded, a module whose loader loads the page as a document. Never rejects. */
async function loadRouteModule(id: string): Promise<RouteModule> {
  const route = window.__remixManifest.routes[id];
  try {
    return await import(/* @vite-ignore */ route?.module ?? id);
  } catch (error) {
    if (route?.hasClientLoader) return fallbackModule(error);
    return route?.hasClientAction ? actionModule(route.module) : { default: () => null };
  }
}

/** Its action tries again to load the module. Without a network the form is refused like one that cannot be sent. */
function actionModule(module: string): RouteModule {
  const load = (): Promise<RouteModule> => import(/* @vite-ignore */ module);
  return {
    default: () => null,
    async clientAction(args) {
      const { clientAction } = await load().catch(() => ({ clientAction: formClientAction }));
      return clientAction?.(args);
    },
  };
}

/** Its loader loads the requested page as a document, or throws `error` if that was done moments ago. */
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
  window.__remixRouteModules = loadMissingModules(window.__remixRouteModules, loadRouteModule);
  // Vite reports failures of components that a page loads lazily.
  window.addEventListener('vite:preloadError', (event) => {
    if (documentLoads.load(pendingAddress() ?? currentAddress())) event.preventDefault();
  });
}
