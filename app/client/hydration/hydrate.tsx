import { RemixBrowser } from '@remix-run/react';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { installRouteModuleFallback } from '../navigation/route-module-fallback.ts';
import { assignHistoryKey } from '../navigation/scroll.ts';

/** Hydrates the document. The modules of its routes must be loaded. */
export async function hydrate(): Promise<void> {
  assignHistoryKey(window);
  await decodeRouteData();
  if (import.meta.env.PROD) installRouteModuleFallback();
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <RemixBrowser />
      </StrictMode>,
    );
  });
}

/**
 * Waits until Remix has decoded the route data. `RemixBrowser` decodes it on its first render and suspends the whole
 * root until then. An event during that time makes React hydrate synchronously, which fails with "Root did not
 * complete". When `RemixBrowser` is called outside of React, it starts to decode and throws a promise that resolves
 * when it is done.
 */
async function decodeRouteData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (thrown) {
    if (!(thrown instanceof Promise)) throw thrown;
    await thrown;
  }
}
