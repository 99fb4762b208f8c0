import { type RefObject, useEffect, useRef } from 'react';

/** A pointer that only passes over a link, or a focus on its way along, means nothing. */
const HESITATION = 100;

/** Handlers for `link`: `act` is called when it looks as though it is about to be followed. */
export function useIntent(link: RefObject<HTMLElement>, act: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const latest = useRef(act);
  const stop = () => clearTimeout(timer.current);
  const start = () => {
    stop();
    timer.current = setTimeout(act, HESITATION);
  };
  useEffect(() => {
    // The first pointer on a page is what brings the scripts; by the time they run it has been there for a while.
    if (link.current?.matches(':hover, :focus')) latest.current();
    return () => clearTimeout(timer.current);
  }, [link]);
  return { onMouseEnter: start, onFocus: start, onMouseLeave: stop, onBlur: stop, onTouchStart: act };
}
