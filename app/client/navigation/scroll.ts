/** Scroll positions: where a navigation puts the page, and what a tab remembers of where it was. */
import { tabMemory } from '../tab-state/this-tab.ts';

const KEY = 'scroll-positions';
/** Entries of the history whose positions are remembered. */
const MAX_POSITIONS = 50;

export type Arrival = {
  /** Where the entry stood when it was left, in pixels; null for a new one. */
  position: number | null;
  hash: string;
  /** Whether the navigation asked not to move. */
  stay: boolean;
};

/** Back and forward at once; to the top or to the hash's target smoothly, unless the visitor prefers less motion. */
export function scrollAfterNavigation({ position, hash, stay }: Arrival): void {
  if (position !== null) {
    window.scrollTo({ top: position, behavior: 'instant' });
    return;
  }
  if (stay) return;
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
  const target = document.getElementById(idOfHash(hash));
  if (target) target.scrollIntoView({ behavior });
  else window.scrollTo({ top: 0, left: 0, behavior });
}

/** The id that a hash names; as it stands where it cannot be decoded. */
export function idOfHash(hash: string): string {
  const id = hash.slice(1);
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

export function readPositions(): Map<string, number> {
  const kept = tabMemory.read(KEY);
  if (!Array.isArray(kept)) return new Map();
  return new Map(kept.filter(isPosition));
}

export function storePositions(positions: ReadonlyMap<string, number>): void {
  tabMemory.write(KEY, [...positions].slice(-MAX_POSITIONS));
}

/** Gives the first entry of a document a key of its own, as the router gives all later ones. */
export function nameHistoryEntry({ history }: Pick<Window, 'history'>): void {
  const state: unknown = history.state;
  if (typeof state === 'object' && state !== null && 'key' in state) return;
  history.replaceState({ ...(state ?? {}), key: Math.random().toString(36).slice(2, 10) }, '');
}

function isPosition(value: unknown): value is [string, number] {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number';
}
