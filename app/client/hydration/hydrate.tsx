import { RemixBrowser } from '@remix-run/react';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { installRouteModuleFallback } from '../navigation/route-module-fallback.ts';
import { assignHistoryKeys } from '../navigation/scroll.ts';
import { moveForeignNodesAside } from './foreign-nodes.ts';
import { keepEventsFromReact } from './native-events.ts';
import { isTranslated } from './translated-document.ts';

/**
 * Hydrates the document, unless it is translated. The modules of its routes must be loaded. React does this in short
 * tasks, because it is a transition and no event can interrupt it.
 */
export function hydrate(): void {
  if (isTranslated(document)) return;
  assignHistoryKeys(window);
  keepEventsFromReact();
  moveForeignNodesAside(document);
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
