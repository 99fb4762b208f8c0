import { type RefObject, useLayoutEffect } from 'react';

/**
 * Keeps in place what the visitor reads when messages above it come and go, in browsers that do not do so themselves (CSS
 * Scroll Anchoring): the first message below the upper edge of the window, once the heading of the list is above it.
 */
export function useKeptPosition(heading: RefObject<HTMLElement>): void {
  // What is on the page before React changes it. A position in the document does not depend on scrolling.
  const anchors = isNeeded() ? readAnchors(heading.current) : [];
  useLayoutEffect(() => {
    const anchor = anchors.find(({ item }) => item.isConnected);
    if (anchor) window.scrollBy({ top: topOf(anchor.item) - anchor.top, behavior: 'instant' });
  });
}

function isNeeded(): boolean {
  return typeof CSS !== 'undefined' && !CSS.supports('overflow-anchor', 'auto');
}

function readAnchors(heading: HTMLElement | null): { item: Element; top: number }[] {
  if (!heading || heading.getBoundingClientRect().bottom >= 0) return [];
  return [...document.querySelectorAll('#messages li')]
    .filter((item) => item.getBoundingClientRect().bottom > 0)
    .map((item) => ({ item, top: topOf(item) }));
}

function topOf(item: Element): number {
  return item.getBoundingClientRect().top + window.scrollY;
}
