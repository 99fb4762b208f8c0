/**
 * The only script that every document loads at once. Pages work without scripts, so the rest of the client (React, Remix,
 * the page's code) loads when the visitor starts to use the page, or when something must be shown that the document does
 * not contain. Keep this file and its imports small: they are the whole first view.
 */
import {
  deployWatch,
  documentLoads,
  messageDraft,
  signInDraft,
  unsavedText,
} from './client/browser-services.ts';
import { earlySelections } from './client/hydration/early-selections.ts';
import { mustHydrateImmediately, onInteraction } from './client/hydration/hydration-triggers.ts';
import { startClient } from './client/hydration/start-client.ts';
import { addHashToReturnTo } from './client/navigation/return-to.ts';
import { revalidate } from './client/navigation/router-state.ts';
import { replaceBlockedStorage } from './client/tab-state/tab-storage.ts';
import { announceTheme, onThemeChangedInOtherTab } from './theme/theme-sync.ts';

replaceBlockedStorage(window);
unsavedText.watch(document);
earlySelections.watch(document);
addHashToReturnTo(document);
messageDraft.removeOnSignOut(document);
announceTheme();

const start = () => {
  stopListening();
  void startClient();
};
const stopListening = onInteraction(document, start);
onThemeChangedInOtherTab(window, start);
// The client shows a notice when the network is lost.
window.addEventListener('offline', start, { once: true });

// In development this loads Vite's client, which also loads a page anew that has not been used yet.
void import.meta.hot;

// In development every change is a new build, and Vite updates the page itself.
if (import.meta.env.PROD) {
  deployWatch.subscribe(start);
  deployWatch.start();
}

function startIfNeeded(): void {
  if (mustHydrateImmediately(document, { path: window.location.pathname, unsavedText, signInDraft })) start();
}
startIfNeeded();

window.addEventListener('pageshow', ({ persisted }) => {
  // The browser may have restored form fields by now.
  if (!persisted) startIfNeeded();
  // A page from the back/forward cache may show the data of a visitor who has signed out since.
  else if (!revalidate()) documentLoads.reload();
});
