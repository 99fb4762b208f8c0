import { useLocation, useNavigationType } from '@remix-run/react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { isScrollResetPrevented } from '~/client/navigation/router-state.ts';
import {
  historyKey,
  readPositions,
  scrollAfterNavigation,
  storePositions,
} from '~/client/navigation/scroll.ts';

/**
 * Manages the scroll position on client-side navigation: to the top or the target of the hash, and to the earlier position
 * after going back or forward. The browser sets the first position of a document, and scrolls for plain links within the
 * page, which the router reports as `POP` to an entry without a position.
 */
export function PageScroll() {
  const location = useLocation();
  const navigationType = useNavigationType();
  const current = useRef(location);
  const shownKey = useRef(location.key);
  const positions = useRef<Map<string, number>>();

  useEffect(() => {
    positions.current ??= readPositions();
    // The browser does not restore a position that an earlier document recorded as `manual`.
    const position = positions.current.get(shownKey.current);
    if (history.scrollRestoration === 'manual' && position && window.scrollY === 0) {
      window.scrollTo({ top: position, behavior: 'instant' });
    }
    return recordPositions(positions.current, shownKey);
  }, []);

  useBrowserLayoutEffect(() => {
    if (current.current === location) return;
    current.current = location;
    shownKey.current = location.key;
    scrollAfterNavigation({
      position: navigationType === 'POP' ? (positions.current?.get(location.key) ?? null) : null,
      hash: location.hash,
      keepPosition: isScrollResetPrevented(),
    });
  }, [location, navigationType]);

  return null;
}

/**
 * Records the position of each history entry and stores the positions for the next document. `shownKey` is the key of the
 * entry that is shown.
 */
function recordPositions(positions: Map<string, number>, shownKey: { current: string }): () => void {
  const record = () => positions.set(shownKey.current, window.scrollY);
  // A new entry is that of a link within the page. The browser scrolls before the router has rendered it.
  const showNewEntry = () => {
    const key = historyKey(window);
    if (key !== null && !positions.has(key)) shownKey.current = key;
  };
  const takeOver = () => {
    history.scrollRestoration = 'manual';
  };
  const handOver = () => {
    storePositions(positions);
    history.scrollRestoration = 'auto';
  };
  takeOver();
  // The visitor may have scrolled before hydration.
  record();
  window.addEventListener('popstate', showNewEntry);
  window.addEventListener('scroll', record, { passive: true });
  window.addEventListener('pageshow', takeOver);
  window.addEventListener('pagehide', handOver);
  return () => {
    window.removeEventListener('popstate', showNewEntry);
    window.removeEventListener('scroll', record);
    window.removeEventListener('pageshow', takeOver);
    window.removeEventListener('pagehide', handOver);
    handOver();
  };
}

/** React warns about layout effects on the server, where they do not run. */
const useBrowserLayoutEffect = import.meta.env.SSR ? useEffect : useLayoutEffect;
