import { useLocation, useNavigationType } from '@remix-run/react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { readPositions, scrollAfterNavigation, storePositions } from '~/client/navigation/scroll.ts';

/**
 * Where the page stands: at its top or at the hash's target after a navigation, where it was after going back or
 * forward. A document's own first position is the browser's affair.
 */
export function PageScroll() {
  const location = useLocation();
  const navigationType = useNavigationType();
  const shown = useRef(location);
  const positions = useRef<Map<string, number>>();

  useEffect(() => {
    positions.current ??= readPositions();
    // The browser leaves a position alone that an earlier document set; if nobody has moved yet, it is put right here.
    const position = positions.current.get(shown.current.key);
    if (history.scrollRestoration === 'manual' && position && window.scrollY === 0) {
      window.scrollTo({ top: position, behavior: 'instant' });
    }
    return keepPositions(positions.current, () => shown.current.key);
  }, []);

  useBrowserLayoutEffect(() => {
    if (shown.current === location) return;
    shown.current = location;
    scrollAfterNavigation({
      position: navigationType === 'POP' ? (positions.current?.get(location.key) ?? 0) : null,
      hash: location.hash,
      stay: window.__remixRouter.state.preventScrollReset,
    });
  }, [location, navigationType]);

  return null;
}

/** Notes where each entry of the history stands, and hands that over to the next document. */
function keepPositions(positions: Map<string, number>, shownKey: () => string): () => void {
  const note = () => positions.set(shownKey(), window.scrollY);
  const take = () => {
    history.scrollRestoration = 'manual';
  };
  const handOver = () => {
    storePositions(positions);
    history.scrollRestoration = 'auto';
  };
  take();
  // Somebody may have moved before scripts ran.
  note();
  window.addEventListener('scroll', note, { passive: true });
  window.addEventListener('pageshow', take);
  window.addEventListener('pagehide', handOver);
  return () => {
    window.removeEventListener('scroll', note);
    window.removeEventListener('pageshow', take);
    window.removeEventListener('pagehide', handOver);
    handOver();
  };
}

/** Layout effects do not run on the server, and React warns of those it meets there. */
const useBrowserLayoutEffect = import.meta.env.SSR ? useEffect : useLayoutEffect;
