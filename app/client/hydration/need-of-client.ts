/** When a document needs the client. */
import { hasCarriedText } from '../tab-state/carried-text.ts';
import { isChanged, type UnsavedText } from '../tab-state/unsaved-text.ts';

/**
 * What people do who are about to use a page. Scrolling is not among it: who only reads needs nothing, and what begins
 * it (a touch, a pointer that moves, a key) says more. A click may come alone from what reads a screen aloud.
 */
const SIGNS = ['pointerover', 'pointerdown', 'touchstart', 'focusin', 'keydown', 'input', 'click'] as const;

/** Calls `act` at each sign of intent; gives the way to stop. */
export function onIntent(document: Document, act: () => void): () => void {
  // Captured, so that nothing on the page can keep a sign from being seen.
  const options = { capture: true, passive: true };
  for (const sign of SIGNS) document.addEventListener(sign, act, options);
  return () => {
    for (const sign of SIGNS) document.removeEventListener(sign, act, options);
  };
}

/** Marks what is only right once the client is there: `<form {...neededAtOnce}>`. */
export const neededAtOnce = { 'data-client': 'at-once' } as const;

/**
 * Whether the page cannot wait for a sign: text was put aside for it, somebody has begun while it was still loading, or
 * it says so itself.
 */
export function needsClientAtOnce(
  document: Document,
  { path, unsavedText }: { path: string; unsavedText: Pick<UnsavedText, 'isKept'> },
): boolean {
  const { activeElement, body } = document;
  return (
    unsavedText.isKept(path) ||
    hasCarriedText() ||
    (activeElement !== null && activeElement !== body) ||
    [...document.querySelectorAll('input, textarea, select')].some(isChanged) ||
    document.querySelector('[data-client="at-once"]') !== null
  );
}
