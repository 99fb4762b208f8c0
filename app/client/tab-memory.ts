/**
 * What this tab remembers from one document to the next: in session storage or, where a browser's settings block that,
 * in the tab's name, which outlives a document likewise and which browsers empty when the tab goes to another site.
 */
export type TabMemory = {
  /** The JSON value last written under `key`, or undefined. Whoever asks checks what it is. */
  read(key: string): unknown;
  /** Undefined removes. */
  write(key: string, value: unknown): void;
};

const PREFIX = 'tenfold:';

/** The memory of a tab, given its window (asked for late, since modules are loaded on the server too). */
export function createTabMemory(tab: () => Pick<Window, 'sessionStorage' | 'name'>): TabMemory {
  return {
    read(key) {
      try {
        const text = tab().sessionStorage.getItem(PREFIX + key);
        return text === null ? undefined : parse(text);
      } catch {
        return readName(tab().name)[key];
      }
    },
    write(key, value) {
      try {
        const { sessionStorage } = tab();
        if (value === undefined) sessionStorage.removeItem(PREFIX + key);
        else sessionStorage.setItem(PREFIX + key, JSON.stringify(value));
      } catch {
        writeName(tab(), key, value);
      }
    },
  };
}

function readName(name: string): Record<string, unknown> {
  const kept = name.startsWith(PREFIX) ? parse(name.slice(PREFIX.length)) : null;
  return typeof kept === 'object' && kept !== null ? { ...kept } : {};
}

function writeName(tab: { name: string }, key: string, value: unknown): void {
  // A name that is not ours is somebody's link target.
  if (tab.name !== '' && !tab.name.startsWith(PREFIX)) return;
  const { [key]: _replaced, ...others } = readName(tab.name);
  const kept = value === undefined ? others : { ...others, [key]: value };
  tab.name = Object.keys(kept).length === 0 ? '' : PREFIX + JSON.stringify(kept);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
