import { useLocation, useNavigationType } from '@remix-run/react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { isScrollResetPrevented } from '~/client/navigation/router-state.ts';
import { readPositions, scrollAfterNavigation, storePositions } from '~/client/navigation/scroll.ts';

/**
 * Manages the scroll position on client-side navigation: to the top or the target of the hash, and to the earlier position
 * after going back or forward. The browser sets the first position of a document.
 */
export function PageScroll() {
  const location = useLocation();
  const navigationType = useNavigationType();
  const current = useRef(location);
  const positions = useRef<Map<string, number>>();

  useEffect(() => {
    positions.current ??= readPositions();
    // The browser does not restore a position that an earlier document recorded as `manual`.
    const position = positions.current.get(current.current.key);
    if (history.scrollRestoration === 'manual' && position && window.scrollY === 0) {
      window.scrollTo({ top: position, behavior: 'instant' });
    }
    return recordPositions(positions.current, () => current.current.key);
  }, []);

  useBrowserLayoutEffect(() => {
    if (current.current === location) return;
    current.current = location;
    scrollAfterNavigation({
      position: navigationType === 'POP' ? (positions.current?.get(location.key) ?? 0) : null,
      hash: location.hash,
      keepPosition: isScrollResetPrevented(),
    });
  }, [location, navigationType]);

  return null;
}

/** Records the position of each history entry and stores the positions for the next document. */
function recordPositions(positions: Map<string, number>, currentKey: () => string): () => void {
  const record = () => positions.set(currentKey(), window.scrollY);
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
  window.addEventListener('scroll', record, { passive: true });
  window.addEventListener('pageshow', takeOver);
  window.addEventListener('pagehide', handOver);
  return () => {
    window.removeEventListener('scroll', record);
    window.removeEventListener('pageshow', takeOver);
    window.removeEventListener('pagehide', handOver);
    handOver();
  };
}

/** React warns about layout effects on the server, where they do not run. */
const useBrowserLayoutEffect = import.meta.env.SSR ? useEffect : useLayoutEffect;
