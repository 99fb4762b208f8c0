import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** False while the server renders and while the browser takes its page over; true from then on. */
export function useMounted(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
