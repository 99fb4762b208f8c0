import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createDocumentLoads, openDocument } from '~/client/deployment/document-loads.ts';
import { storageInName } from '~/client/tab-state/blocked-storage.ts';
import { createTabMemory } from '~/client/tab-state/tab-memory.ts';

/** A storage in memory, as session storage behaves. */
function workingStorage(): ReturnType<typeof storageInName> {
  const items = new Map<string, string>();
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}

describe.each([
  ['is there', workingStorage],
  ['is blocked', () => storageInName({ name: '' })],
])('full loads where storage %s', (_, createStorage) => {
  const opened: string[] = [];
  const beforeLeaving = vi.fn();
  let now: number;
  let storage: ReturnType<typeof workingStorage>;

  /** What the next document in the same tab makes of it. */
  const nextDocument = () =>
    createDocumentLoads({
      memory: createTabMemory(() => storage),
      now: () => now,
      shown: () => 'https://example.com/shown',
      open: (address) => opened.push(address),
      beforeLeaving,
    });

  beforeEach(() => {
    opened.length = 0;
    now = Date.parse('2026-11-21T10:00:00Z');
    storage = createStorage();
  });

  it('take the visitor to the address, hash and all, and first call whoever has something to keep', () => {
    beforeLeaving.mockImplementationOnce(() => expect(opened).toEqual([]));
    expect(nextDocument().load('/ar/test-message?after=1#outcome')).toBe(true);
    expect(opened).toEqual(['/ar/test-message?after=1#outcome']);
    expect(beforeLeaving).toHaveBeenCalledOnce();
  });

  it('happen once in ten seconds for a path, whatever its query', () => {
    nextDocument().load('/fr');
    now += 9_999;
    expect(nextDocument().load('/fr?again#here')).toBe(false);
    now += 1;
    expect(nextDocument().load('/fr')).toBe(true);
    expect(opened).toEqual(['/fr', '/fr']);
  });

  it('of two paths in turn make no loop either', () => {
    expect(nextDocument().load('/a')).toBe(true);
    expect(nextDocument().load('/b')).toBe(true);
    expect(nextDocument().load('/a')).toBe(false);
    expect(nextDocument().load('/b')).toBe(false);
  });

  it('are not held up by a clock that was set back', () => {
    nextDocument().load('/fr');
    now -= 3_600_000;
    expect(nextDocument().load('/fr')).toBe(true);
  });

  it('that the visitor asks for always happen', () => {
    nextDocument().reload();
    nextDocument().reload();
    expect(opened).toEqual(['https://example.com/shown', 'https://example.com/shown']);
  });

  it('are not confused by what somebody else has stored', () => {
    for (const text of ['null', '7', '"x"', '{', '{"/fr":"soon"}']) {
      storage.setItem('document-loads', text);
      expect(nextDocument().load('/fr'), text).toBe(true);
    }
  });
});

describe('the storage in a tab’s name', () => {
  it('keeps several items and leaves no trace when they are gone', () => {
    const tab = { name: '' };
    const storage = storageInName(tab);
    storage.setItem('a', '1');
    storage.setItem('b', '2');
    expect(storageInName(tab).getItem('a')).toBe('1');
    storage.removeItem('a');
    expect(storage.getItem('a')).toBeNull();
    expect(storage.getItem('b')).toBe('2');
    storage.removeItem('b');
    expect(tab.name).toBe('');
  });

  it('leaves a name alone that somebody gave the tab', () => {
    const tab = { name: 'preview' };
    storageInName(tab).setItem('a', '1');
    expect(tab.name).toBe('preview');
    expect(storageInName(tab).getItem('a')).toBeNull();
  });

  it('reads nothing from a name that is not JSON', () => {
    expect(storageInName({ name: 'tenfold:{' }).getItem('a')).toBeNull();
  });
});

describe('opening a document', () => {
  function browserAt(href: string) {
    const location = { href, assign: vi.fn(), reload: vi.fn() };
    const history = { state: { key: 'k' }, replaceState: vi.fn() };
    return { location, history } as unknown as Window & {
      location: typeof location;
      history: typeof history;
    };
  }

  it('goes to another address', () => {
    const tab = browserAt('https://example.com/a#x');
    openDocument('/b#y', tab);
    expect(tab.location.assign).toHaveBeenCalledWith('/b#y');
    expect(tab.location.reload).not.toHaveBeenCalled();
  });

  it('reloads where only the hash differs, which alone would load nothing', () => {
    const tab = browserAt('https://example.com/a#x');
    openDocument('/a#y', tab);
    expect(tab.history.replaceState).toHaveBeenCalledWith({ key: 'k' }, '', '/a#y');
    expect(tab.location.reload).toHaveBeenCalledOnce();
    expect(tab.location.assign).not.toHaveBeenCalled();
  });
});
