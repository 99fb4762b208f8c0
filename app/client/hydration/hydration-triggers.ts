/** When a document must be hydrated. */
import type { Draft } from '../tab-state/draft.ts';
import { isChanged, type UnsavedText } from '../tab-state/unsaved-text.ts';

/**
 * Events that show that the visitor is about to use the page. Scrolling is not one of them, because reading needs no
 * scripts. A screen reader may send a `click` without any of the others.
 */
const INTERACTIONS = [
  'pointerover',
  'pointerdown',
  'touchstart',
  'focusin',
  'keydown',
  'input',
  'click',
] as const;

/** Calls `listener` on each interaction. Returns a function that removes the listeners. */
export function onInteraction(document: Document, listener: () => void): () => void {
  // In the capture phase no other listener can stop the event.
  const options = { capture: true, passive: true };
  for (const type of INTERACTIONS) document.addEventListener(type, listener, options);
  return () => {
    for (const type of INTERACTIONS) document.removeEventListener(type, listener, options);
  };
}

/** Attributes of content that is only complete after hydration: `<form {...hydrateImmediately}>`. */
export const hydrateImmediately = { 'data-hydrate': 'immediately' } as const;

/**
 * Whether the page must be hydrated without waiting for an interaction: text is saved for it, the visitor used it while
 * it was loading, or its content requires it.
 */
export function mustHydrateImmediately(
  document: Document,
  { path, unsavedText, signInDraft }: { path: string; unsavedText: UnsavedText; signInDraft: Draft },
): boolean {
  const { activeElement, body } = document;
  return (
    unsavedText.isSaved(path) ||
    signInDraft.isSaved() ||
    (activeElement !== null && activeElement !== body) ||
    [...document.querySelectorAll('input, textarea, select')].some(isChanged) ||
    document.querySelector('[data-hydrate="immediately"]') !== null
  );
}
