/** What this tab remembers from one document to the next, as JSON in its session storage. */
export type TabMemory = {
  /** The value last written under `key`, or undefined. Whoever asks checks what it is. */
  read(key: string): unknown;
  /** Undefined removes. */
  write(key: string, value: unknown): void;
};

/** The memory of a tab, given its storage (asked for late, since modules are loaded on the server too). */
export function createTabMemory(
  storage: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
): TabMemory {
  return {
    read(key) {
      const text = storage().getItem(key);
      return text === null ? undefined : parse(text);
    },
    write(key, value) {
      try {
        if (value === undefined) storage().removeItem(key);
        else storage().setItem(key, JSON.stringify(value));
      } catch {
        // It is full.
      }
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
