/**
 * The state of Remix's router outside of React components. Remix has hooks for components only, and a `clientLoader`
 * needs the pending navigation before any component has rendered it. This is the only file that reads
 * `window.__remixRouter`, and it never writes to it.
 */
import { withoutHash } from '../deployment/document-loads.ts';

type Location = { pathname: string; search: string; hash: string };

/**
 * The address (path, query, hash) of the pending navigation. Null if there is none, or if a form is being submitted.
 */
export function pendingAddress(): string | null {
  const { state, location } = window.__remixRouter.state.navigation;
  return state === 'loading' ? addressOf(location) : null;
}

/** The same as `pendingAddress`, but null if the pending navigation reloads the current page. */
export function pendingAddressOfOtherPage(): string | null {
  const pending = pendingAddress();
  return pending !== null && withoutHash(pending) !== withoutHash(currentAddress()) ? pending : null;
}

/** The address (path, query, hash) of the current page. */
export function currentAddress(): string {
  return addressOf(window.__remixRouter.state.location);
}

/** Whether a request is for the page that is shown, whose data is loaded again. */
export function isShown({ url }: Request): boolean {
  const { pathname, search } = new URL(url);
  return withoutHash(currentAddress()) === pathname + search;
}

/** Whether the last navigation was started with `preventScrollReset`, which keeps the scroll position. */
export function isScrollResetPrevented(): boolean {
  return window.__remixRouter.state.preventScrollReset;
}

/** Loads the data of the current page again. Returns false if the page is not hydrated yet. */
export function revalidate(): boolean {
  if (!('__remixRouter' in window)) return false;
  void window.__remixRouter.revalidate();
  return true;
}

function addressOf({ pathname, search, hash }: Location): string {
  return pathname + search + hash;
}
