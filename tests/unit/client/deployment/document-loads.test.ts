import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createDocumentLoads, openDocument } from '~/client/deployment/document-loads.ts';
import { createWindowNameStorage, TabStorage } from '~/client/tab-state/tab-storage.ts';

describe('document loads', () => {
  const opened: string[] = [];
  const saveUnsavedText = vi.fn();
  let now: number;
  let storage: ReturnType<typeof createWindowNameStorage>;

  /** The document loads of the next document in the same tab. */
  const nextDocument = () =>
    createDocumentLoads({
      storage: new TabStorage(() => storage),
      now: () => now,
      currentAddress: () => 'https://example.com/current',
      open: (address) => opened.push(address),
      saveUnsavedText,
    });

  beforeEach(() => {
    opened.length = 0;
    now = Date.parse('2026-11-21T10:00:00Z');
    storage = createWindowNameStorage({ name: '' });
  });

  it('open the address with its hash, after unsaved text was saved', () => {
    saveUnsavedText.mockImplementationOnce(() => expect(opened).toEqual([]));
    expect(nextDocument().load('/ar/test-message?after=1#outcome')).toBe(true);
    expect(opened).toEqual(['/ar/test-message?after=1#outcome']);
    expect(saveUnsavedText).toHaveBeenCalledOnce();
  });

  it('happen once in ten seconds per path, whatever the query', () => {
    nextDocument().load('/fr');
    now += 9_999;
    expect(nextDocument().load('/fr?again#here')).toBe(false);
    now += 1;
    expect(nextDocument().load('/fr')).toBe(true);
    expect(opened).toEqual(['/fr', '/fr']);
  });

  it('do not alternate endlessly between two paths', () => {
    const paths = ['/a', '/b', '/a', '/b'];
    expect(paths.map((path) => nextDocument().load(path))).toEqual([true, true, false, false]);
  });

  it('are not blocked by a clock that was set back', () => {
    nextDocument().load('/fr');
    now -= 3_600_000;
    expect(nextDocument().load('/fr')).toBe(true);
  });

  it('always happen when the visitor reloads', () => {
    nextDocument().reload();
    nextDocument().reload();
    expect(opened).toEqual(['https://example.com/current', 'https://example.com/current']);
  });

  it('ignore invalid values in the storage', () => {
    for (const text of ['null', '7', '{', '{"/fr":"soon"}']) {
      storage.setItem('document-loads', text);
      expect(nextDocument().load('/fr'), text).toBe(true);
    }
  });
});

describe('openDocument', () => {
  function browserAt(href: string) {
    const location = { href, assign: vi.fn(), reload: vi.fn() };
    const history = { state: { key: 'k' }, replaceState: vi.fn() };
    return { location, history } as unknown as Window & {
      location: typeof location;
      history: typeof history;
    };
  }

  it('navigates to another address', () => {
    const tab = browserAt('https://example.com/a#x');
    openDocument('/b#y', tab);
    expect(tab.location.assign).toHaveBeenCalledWith('/b#y');
    expect(tab.location.reload).not.toHaveBeenCalled();
  });

  it('reloads when only the hash differs, because a new hash alone loads nothing', () => {
    const tab = browserAt('https://example.com/a#x');
    openDocument('/a#y', tab);
    expect(tab.history.replaceState).toHaveBeenCalledWith({ key: 'k' }, '', '/a#y');
    expect(tab.location.reload).toHaveBeenCalledOnce();
    expect(tab.location.assign).not.toHaveBeenCalled();
  });
});
