import { RemixBrowser } from '@remix-run/react';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { installRouteModuleFallback } from '../navigation/route-module-fallback.ts';
import { assignHistoryKey } from '../navigation/scroll.ts';
import { keepEventsFromReact } from './native-events.ts';

/**
 * Hydrates the document. The modules of its routes must be loaded. React does this in tasks of some milliseconds each,
 * because it is a transition and no event can interrupt it.
 */
export function hydrate(): void {
  assignHistoryKey(window);
  keepEventsFromReact();
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
