/** Keeps the start of the client out of the frames that show what a press does. */
import { nextFrame } from '../navigation/next-frame.ts';

/** A press may end without an event, for example outside of the window. A tab in the background draws no frames. */
const LONGEST_PRESS_MS = 1000;

let isPressed = false;

/** Starts to notice when a pointer or a key is pressed. */
export function watchPresses(document: Pick<Document, 'addEventListener'>): void {
  const note = ({ type }: Event) => {
    isPressed = /down/.test(type);
  };
  for (const type of ['pointerdown', 'keydown', 'pointerup', 'pointercancel', 'keyup'])
    document.addEventListener(type, note, true);
}

/** Resolves in a task of its own, after a frame. If something is pressed, that is the frame after its release. */
export async function nextCalmFrame(): Promise<void> {
  const latest = performance.now() + LONGEST_PRESS_MS;
  do await nextFrame(LONGEST_PRESS_MS);
  while (isPressed && performance.now() < latest);
}
