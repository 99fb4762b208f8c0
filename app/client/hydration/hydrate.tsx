/** What `entry.client.ts` leaves until it is needed: React and Remix themselves. */
import { RemixBrowser } from '@remix-run/react';
import { StrictMode, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { installChunkGuard } from '../deployment/chunk-guard.ts';
import { nameHistoryEntry } from '../navigation/scroll.ts';

/** Takes the document over. The modules of its routes have been loaded. */
export async function hydrate(): Promise<void> {
  nameHistoryEntry(window);
  await dataDecoded();
  if (import.meta.env.PROD) installChunkGuard();
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
 * Remix decodes the loaders' data when it first renders, and suspends the whole root. A key pressed just then makes React
 * hydrate at once, and where it cannot, it gives the page up ("Root did not complete"). Called outside of React, Remix
 * begins to decode, and throws the promise that it would have suspended by.
 */
async function dataDecoded(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (thrown) {
    if (!(thrown instanceof Promise)) throw thrown;
    await thrown;
  }
}
