import { nextFrame } from '../navigation/next-frame.ts';

let started: Promise<void> | undefined;

/**
 * Loads the client code and hydrates the document, once. If loading fails, the document continues to work with plain
 * links and forms, and the next document tries again.
 */
export function startClient(): Promise<void> {
  started ??= load();
  return started;
}

/** In several tasks, so that the browser shows the effects of input between them. */
async function load(): Promise<void> {
  // A slow device is still busy with the page when it is pressed for the first time.
  await nextFrame(1000);
  const modules = window.__remixRouteModules;
  const { routes, hmr } = window.__remixManifest;
  // In development React Refresh must run before any component is loaded.
  if (hmr) await import(/* @vite-ignore */ hmr.runtime);
  const ids = Object.keys(modules);
  // The manifest lists the imports of each module, so that all files load at the same time. `<link rel="modulepreload">`
  // would do the same, but React would not find the head as the server rendered it.
  const imports = new Set(ids.flatMap((id) => routes[id]?.imports ?? []));
  const [{ hydrate }] = await Promise.all([
    import('./hydrate.tsx'),
    ...[...imports].map((module) => import(/* @vite-ignore */ module)),
    ...ids.map(async (id) => {
      modules[id] = await import(/* @vite-ignore */ routes[id]?.module ?? id);
    }),
  ]);
  await nextFrame();
  hydrate();
}
