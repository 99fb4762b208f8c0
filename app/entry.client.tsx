import { RemixBrowser } from '@remix-run/react';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { replaceBlockedStorage } from './client/blocked-storage.ts';
import { installChunkGuard } from './client/chunk-guard.ts';
import { nameHistoryEntry } from './client/scroll.ts';
import { deployWatch } from './client/this-tab.ts';

replaceBlockedStorage(window);
nameHistoryEntry(window);
// In development every change is a new build, and Vite itself brings it to the page.
if (import.meta.env.PROD) {
  installChunkGuard();
  deployWatch.start();
}

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <RemixBrowser />
    </StrictMode>,
  );
});
