/**
 * Full document loads in place of client-side navigation, for when a page's code or translations cannot be loaded or
 * belong to another build. Each path is loaded at most once in ten seconds, so that a load that does not solve the
 * problem is not repeated endlessly.
 */
import type { TabStorage } from '../tab-state/tab-storage.ts';

const PAUSE_MS = 10_000;
const KEY = 'document-loads';

export type DocumentLoads = {
  /** Loads the document at `address` (path, query, hash). Returns false if its path was loaded within the pause. */
  load(address: string): boolean;
  /** Reloads the current document at the visitor's request. */
  reload(): void;
};

export type DocumentLoadsOptions = {
  storage: TabStorage;
  /** Milliseconds since the epoch, because the times are read by later documents. */
  now: () => number;
  currentAddress: () => string;
  open: (address: string) => void;
  /** Called before each load, which would lose the text. */
  saveUnsavedText: () => void;
};

export function createDocumentLoads({
  storage,
  now,
  currentAddress,
  open,
  saveUnsavedText,
}: DocumentLoadsOptions): DocumentLoads {
  const loadDocument = (address: string) => {
    saveUnsavedText();
    open(address);
  };
  return {
    load(address) {
      const [path = ''] = address.split(/[?#]/, 1);
      const recent = recentLoads(storage.read(KEY), now());
      if (path in recent) return false;
      storage.write(KEY, { ...recent, [path]: now() });
      loadDocument(address);
      return true;
    },
    reload: () => loadDocument(currentAddress()),
  };
}

/** The times of recent loads by path. Times in the future, from before a clock was set back, are dropped. */
function recentLoads(stored: unknown, now: number): Record<string, number> {
  if (typeof stored !== 'object' || stored === null) return {};
  const isRecent = (at: unknown): at is number => typeof at === 'number' && at <= now && now - at < PAUSE_MS;
  return Object.fromEntries(
    Object.entries(stored).filter((entry): entry is [string, number] => isRecent(entry[1])),
  );
}

/** Loads `address` as a document, also if it differs from the current address only in its hash or not at all. */
export function openDocument(address: string, { location, history }: Window = window): void {
  if (withoutHash(new URL(address, location.href).href) !== withoutHash(location.href)) {
    location.assign(address);
    return;
  }
  history.replaceState(history.state, '', address);
  location.reload();
}

/** An address up to its hash. */
export function withoutHash(address: string): string {
  return address.split('#', 1)[0] ?? '';
}
