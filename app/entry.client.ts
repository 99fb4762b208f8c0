/**
 * The part of the client that every document loads at once. What the page shows works without any script, so the rest
 * (React, Remix, the page's code) is left until somebody begins to use the page, or something has to be shown that no
 * document can hold. This file and all that it imports are what a first view carries: nothing large may get in.
 */

import { earlyChoices } from './client/hydration/early-choices.ts';
import { needsClientAtOnce, onIntent } from './client/hydration/need-of-client.ts';
import { startClient } from './client/hydration/start-client.ts';
import { keepHashInForms } from './client/navigation/kept-hash.ts';
import { replaceBlockedStorage } from './client/tab-state/blocked-storage.ts';
import { deployWatch, documentLoads, unsavedText } from './client/tab-state/this-tab.ts';
import { announceTheme, onThemeElsewhere } from './theme/theme-mirror.ts';

replaceBlockedStorage(window);
unsavedText.watch(document);
earlyChoices.watch(document);
keepHashInForms(document);
announceTheme();

const start = () => {
  stopListening();
  void startClient();
};
const stopListening = onIntent(document, start);
onThemeElsewhere(window, start);
// Without a network there is something to tell.
window.addEventListener('offline', start, { once: true });

// In development every change is a new build, and Vite itself brings it to the page.
if (import.meta.env.PROD) {
  deployWatch.subscribe(start);
  deployWatch.start();
}

/** A page that the browser kept as it was left may be another visitor's by now, or nobody's. */
function makeCurrent(): void {
  if ('__remixRouter' in window) void window.__remixRouter.revalidate();
  else documentLoads.reload();
}

function look(): void {
  if (needsClientAtOnce(document, { path: window.location.pathname, unsavedText })) start();
}
look();
// By then the browser has put back what forms held, if it does.
window.addEventListener('pageshow', ({ persisted }) => (persisted ? makeCurrent() : look()));
