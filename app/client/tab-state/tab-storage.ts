/** Values that this tab keeps from one document to the next. Everything that the site stores in a tab passes here. */

type StringStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Stores values as JSON in the session storage. */
export class TabStorage {
  readonly #storage: () => StringStorage;

  /** `storage` is a function because modules are also evaluated on the server, where no storage exists. */
  constructor(storage: () => StringStorage) {
    this.#storage = storage;
  }

  /** The value last written under `key`, or undefined. Callers must validate it. */
  read(key: string): unknown {
    const text = this.#storage().getItem(key);
    return text === null ? undefined : parseJson(text);
  }

  /** Stores `value`; undefined removes the entry. Does nothing if the storage is full. */
  write(key: string, value: unknown): void {
    try {
      if (value === undefined) this.#storage().removeItem(key);
      else this.#storage().setItem(key, JSON.stringify(value));
    } catch {
      // The storage is full.
    }
  }
}

const NAME_PREFIX = 'tenfold:';

/**
 * Replaces `sessionStorage` where the browser's settings block it and reading the property throws. Must be called before
 * anything is stored. It is replaced for Remix too, which reads it on each route discovery and would show an error in
 * place of the page. Does nothing where session storage works.
 */
export function replaceBlockedStorage(tab: Window): void {
  try {
    tab.sessionStorage.getItem('');
  } catch {
    Object.defineProperty(tab, 'sessionStorage', { configurable: true, value: createWindowNameStorage(tab) });
  }
}

/**
 * A storage in `window.name`, which browsers keep when the document changes and clear when the tab opens another site.
 * It stores nothing if the window already has a name.
 */
export function createWindowNameStorage(tab: { name: string }): StringStorage {
  const read = (): Record<string, unknown> => {
    const items = tab.name.startsWith(NAME_PREFIX) ? parseJson(tab.name.slice(NAME_PREFIX.length)) : null;
    return typeof items === 'object' && items !== null ? { ...items } : {};
  };
  const write = (items: Record<string, unknown>) => {
    if (tab.name !== '' && !tab.name.startsWith(NAME_PREFIX)) return;
    tab.name = Object.keys(items).length === 0 ? '' : NAME_PREFIX + JSON.stringify(items);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
