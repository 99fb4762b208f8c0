import { describe, expect, it } from 'vitest';
import { createWindowNameStorage } from '~/client/tab-state/tab-storage.ts';

describe('the storage in window.name', () => {
  it('stores several items, and clears the name when all are removed', () => {
    const tab = { name: '' };
    const storage = createWindowNameStorage(tab);
    storage.setItem('a', '1');
    storage.setItem('b', '2');
    expect(createWindowNameStorage(tab).getItem('a')).toBe('1');
    storage.removeItem('a');
    expect(storage.getItem('a')).toBeNull();
    expect(storage.getItem('b')).toBe('2');
    storage.removeItem('b');
    expect(tab.name).toBe('');
  });

  it('does not change an existing window name', () => {
    const tab = { name: 'preview' };
    createWindowNameStorage(tab).setItem('a', '1');
    expect(tab.name).toBe('preview');
    expect(createWindowNameStorage(tab).getItem('a')).toBeNull();
  });

  it('reads nothing from a name that is not valid JSON', () => {
    expect(createWindowNameStorage({ name: 'tenfold:{' }).getItem('a')).toBeNull();
  });
});
