/** What Remix's router is doing. Only in the browser, once the page is hydrated. */
import { createPath } from '@remix-run/react';

/** The address that the page under way is to have (path, query, hash), or null while none is. A form being sent is none. */
export function navigationTarget(): string | null {
  const { state, location } = window.__remixRouter.state.navigation;
  return state === 'loading' ? createPath(location) : null;
}

/** Likewise, but null also where the page under way is the one that is shown, loaded anew. */
export function addressToLeaveFor(): string | null {
  const target = navigationTarget();
  return target !== null && withoutHash(target) !== withoutHash(shownAddress()) ? target : null;
}

export function shownAddress(): string {
  return createPath(window.__remixRouter.state.location);
}

function withoutHash(address: string): string {
  return address.replace(/#.*$/, '');
}

/** For what waits until the document that takes this one's place is there. */
export function untilDocumentIsLeft(): Promise<never> {
  return new Promise(() => {});
}
