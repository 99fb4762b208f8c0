/**
 * Full loads in place of client-side navigation: when a page's code or words cannot be had, or are another build's. A
 * load that mends nothing must not be repeated for ever, so each path has one in ten seconds.
 */
import type { TabMemory } from '../tab-state/tab-memory.ts';

const PAUSE = 10_000;
const KEY = 'document-loads';

export type DocumentLoads = {
  /** Loads the document at `address` (path, query, hash). False, and nothing is done, where its path has had its turn. */
  load(address: string): boolean;
  /** Loads the document that is shown anew, because the visitor asked for it. */
  reload(): void;
};

export type DocumentLoadsOptions = {
  memory: TabMemory;
  /** Milliseconds since the epoch: the time outlives the document that took it. */
  now: () => number;
  /** The address that is shown. */
  shown: () => string;
  open: (address: string) => void;
  /** Called before any document is left. */
  beforeLeaving: () => void;
};

export function createDocumentLoads({
  memory,
  now,
  shown,
  open,
  beforeLeaving,
}: DocumentLoadsOptions): DocumentLoads {
  const leaveFor = (address: string) => {
    beforeLeaving();
    open(address);
  };
  return {
    load(address) {
      const path = address.replace(/[?#].*$/, '');
      const recent = recentLoads(memory.read(KEY), now());
      if (path in recent) return false;
      memory.write(KEY, { ...recent, [path]: now() });
      leaveFor(address);
      return true;
    },
    reload: () => leaveFor(shown()),
  };
}

/** When each path was loaded, without what is over. A time to come (the clock was set back) is over too. */
function recentLoads(kept: unknown, now: number): Record<string, number> {
  if (typeof kept !== 'object' || kept === null) return {};
  const isRecent = (at: unknown): at is number => typeof at === 'number' && at <= now && now - at < PAUSE;
  return Object.fromEntries(
    Object.entries(kept).filter((entry): entry is [string, number] => isRecent(entry[1])),
  );
}

/** Goes to `address` as a document, also where it differs from the one that is shown by its hash alone or not at all. */
export function openDocument(address: string, { location, history }: Window = window): void {
  if (withoutHash(new URL(address, location.href).href) !== withoutHash(location.href)) {
    location.assign(address);
    return;
  }
  history.replaceState(history.state, '', address);
  location.reload();
}

function withoutHash(href: string): string {
  return href.replace(/#.*$/, '');
}
