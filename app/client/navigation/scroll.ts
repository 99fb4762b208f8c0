/** Scroll positions: where the page scrolls after a navigation, and the positions that are stored for a tab. */
import { tabStorage } from '../browser-services.ts';

const KEY = 'scroll-positions';
/** Number of history entries whose positions are stored. */
const MAX_POSITIONS = 50;

export type ScrollTarget = {
  /** Scroll position in pixels that the history entry had when the visitor left it. Null if none is known. */
  position: number | null;
  hash: string;
  /** Whether the navigation was started with `preventScrollReset`. */
  keepPosition: boolean;
};

/**
 * Scrolls after a client-side navigation: instantly to the stored position, or smoothly to the top or the target of
 * the hash. Under `prefers-reduced-motion` all scrolling is instant.
 */
export function scrollAfterNavigation({ position, hash, keepPosition }: ScrollTarget): void {
  if (position !== null) {
    window.scrollTo({ top: position, behavior: 'instant' });
    return;
  }
  if (keepPosition) return;
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
  const target = document.getElementById(idOfHash(hash));
  if (target) target.scrollIntoView({ behavior });
  else window.scrollTo({ top: 0, left: 0, behavior });
}

/** The element id in a hash, decoded if it can be decoded. */
function idOfHash(hash: string): string {
  const id = hash.slice(1);
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** The positions stored by an earlier document of this tab, by history key. */
export function readPositions(): Map<string, number> {
  const stored = tabStorage.read(KEY);
  return new Map(Array.isArray(stored) ? stored.filter(isPosition) : []);
}

/** Stores the latest positions for the next document of this tab. */
export function storePositions(positions: ReadonlyMap<string, number>): void {
  tabStorage.write(KEY, [...positions].slice(-MAX_POSITIONS));
}

/**
 * Gives each history entry without a key one, as the router does for its own entries: the first entry of the document, and
 * those that the browser makes for links within the page. Must be called before the router listens to the history.
 */
export function assignHistoryKeys(window: Window): void {
  const assign = () => {
    const { history } = window;
    if (historyKey(window) !== null) return;
    const state: unknown = history.state;
    const key = Math.random().toString(36).slice(2, 10);
    history.replaceState({ ...(typeof state === 'object' ? state : {}), key }, '');
  };
  assign();
  window.addEventListener('popstate', assign);
}

/** The key of the current history entry, or null if it has none. */
export function historyKey({ history }: Pick<Window, 'history'>): string | null {
  const state: unknown = history.state;
  if (typeof state !== 'object' || state === null || !('key' in state)) return null;
  return typeof state.key === 'string' ? state.key : null;
}

function isPosition(value: unknown): value is [string, number] {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number';
}
