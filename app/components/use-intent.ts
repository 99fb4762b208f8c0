import { useEffect, useRef } from 'react';

/** A pointer that only passes over a link, or a focus on its way along, means nothing. */
const HESITATION = 100;

/** Handlers for a link: `act` is called when it looks as though the link is about to be followed. */
export function useIntent(act: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const stop = () => clearTimeout(timer.current);
  const start = () => {
    stop();
    timer.current = setTimeout(act, HESITATION);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return { onMouseEnter: start, onFocus: start, onMouseLeave: stop, onBlur: stop, onTouchStart: act };
}
