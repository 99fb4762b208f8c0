/**
 * Where a browser's settings block session storage, reading the property throws. Remix reads it on every discovery of
 * routes and would show an error in place of each page; and what must outlive a document needs some place to do so.
 */

type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const PREFIX = 'tenfold:';

/** Puts a storage in its place that lies in the tab's name. Does nothing where session storage works. */
export function replaceBlockedStorage(tab: Window): void {
  try {
    tab.sessionStorage.getItem('');
  } catch {
    Object.defineProperty(tab, 'sessionStorage', { configurable: true, value: storageInName(tab) });
  }
}

/**
 * A storage in the name of a tab, which outlives its documents; browsers empty it when the tab goes to another site. A
 * name that somebody gave the tab is left alone, and then nothing is kept.
 */
export function storageInName(tab: { name: string }): TabStorage {
  const read = (): Record<string, unknown> => {
    try {
      const kept: unknown = tab.name.startsWith(PREFIX) ? JSON.parse(tab.name.slice(PREFIX.length)) : null;
      return typeof kept === 'object' && kept !== null ? { ...kept } : {};
    } catch {
      return {};
    }
  };
  const write = (items: Record<string, unknown>) => {
    if (tab.name !== '' && !tab.name.startsWith(PREFIX)) return;
    tab.name = Object.keys(items).length === 0 ? '' : PREFIX + JSON.stringify(items);
  };
  return {
    getItem(key) {
      const item = read()[key];
      return typeof item === 'string' ? item : null;
    },
    setItem: (key, value) => write({ ...read(), [key]: String(value) }),
    removeItem(key) {
      const { [key]: _removed, ...others } = read();
      write(others);
    },
  };
}
