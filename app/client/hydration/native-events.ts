/**
 * While React hydrates, the browser alone handles what the visitor does, as it did before. React would hydrate the whole
 * page in the task of such an event, and the visitor would wait for it.
 */

/** The events for which React 18 does that, without those that only follow one of these, as in dragging. */
const EVENTS =
  'pointerdown pointerup pointercancel mousedown mouseup touchstart touchend touchcancel click contextmenu keydown ' +
  'keypress keyup input textInput change compositionstart compositionend copy cut paste submit';

const stop = (event: Event) => event.stopImmediatePropagation();

/** Keeps the events from React. Must be called before `hydrateRoot`, whose listeners are on the document too. */
export function keepEventsFromReact(): void {
  for (const type of EVENTS.split(' ')) document.addEventListener(type, stop, true);
}

/** Called after hydration. */
export function passEventsToReact(): void {
  for (const type of EVENTS.split(' ')) document.removeEventListener(type, stop, true);
}
