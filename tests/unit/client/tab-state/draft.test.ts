import { describe, expect, it } from 'vitest';
import { Draft } from '~/client/tab-state/draft.ts';
import { createWindowNameStorage, TabStorage } from '~/client/tab-state/tab-storage.ts';

function openStorage(): TabStorage {
  const tab = createWindowNameStorage({ name: '' });
  return new TabStorage(() => tab);
}

describe('a draft', () => {
  it('is returned once, also to the next document', () => {
    const storage = openStorage();
    new Draft(storage, 'draft').save('Hello');
    const draft = new Draft(storage, 'draft');
    expect(draft.isSaved()).toBe(true);
    expect(draft.consume()).toBe('Hello');
    expect(draft.isSaved()).toBe(false);
    expect(draft.consume()).toBe('');
  });

  it('is removed by an empty text', () => {
    const draft = new Draft(openStorage(), 'draft');
    draft.save('Hello');
    draft.save('');
    expect(draft.isSaved()).toBe(false);
  });

  it.each([7, null, { text: 'Hello' }])('is empty if the storage contains something else: %j', (entry) => {
    const storage = openStorage();
    storage.write('draft', entry);
    const draft = new Draft(storage, 'draft');
    expect([draft.isSaved(), draft.consume()]).toEqual([false, '']);
  });
});
