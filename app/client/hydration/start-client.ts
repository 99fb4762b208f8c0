/** Loads the client and lets it take the document over. */

let started: Promise<void> | undefined;

/**
 * Loads it once. If that comes to nothing the document goes on as it is: links and forms are the browser's own, and the
 * next document tries again.
 */
export function startClient(): Promise<void> {
  started ??= load();
  return started;
}

async function load(): Promise<void> {
  const modules = window.__remixRouteModules;
  const { routes, hmr } = window.__remixManifest;
  // In development React's own state has to be there before any component.
  if (hmr) await import(/* @vite-ignore */ hmr.runtime);
  const ids = Object.keys(modules);
  // What a module imports is named with it, so that all of it comes at once. Links that preload it would do the same,
  // but to React, which is to find the document as it was written, they would be strangers.
  const imports = new Set(ids.flatMap((id) => routes[id]?.imports ?? []));
  const [{ hydrate }] = await Promise.all([
    import('./hydrate.tsx'),
    ...[...imports].map((module) => import(/* @vite-ignore */ module)),
    ...ids.map(async (id) => {
      modules[id] = await import(/* @vite-ignore */ routes[id]?.module ?? id);
    }),
  ]);
  await hydrate();
}
