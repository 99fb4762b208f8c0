import { describe, expect, it } from 'vitest';
import { createWindowNameStorage, TabStorage } from '~/client/tab-state/tab-storage.ts';
import { createUnsavedText } from '~/client/tab-state/unsaved-text.ts';
import { forThisSite } from '../../../support/this-site.ts';

const SAVED_AT = 1_800_000_000_000;
const HALF_HOUR_MS = 30 * 60_000;

/** A page that does not have the field any more. The end-to-end tests restore text into real fields. */
const pageWithoutField = { querySelectorAll: () => [] } as unknown as Document;

/** Unsaved text of the page `/fr`, and a clock that a test sets. */
function openSavedText() {
  const storage = new TabStorage(() => tab);
  const tab = createWindowNameStorage({ name: '' });
  const time = { now: SAVED_AT };
  const fields = [{ name: 'content', before: '', text: 'Hello' }];
  storage.write('unsaved-text', { path: '/fr', keptAt: SAVED_AT, fields });
  return { time, storage, unsavedText: createUnsavedText({ storage, now: () => time.now }) };
}

describe('unsaved text', () => {
  it.each(['/fr', '/'])(
    'is kept for its page and discarded after half an hour, while %s is shown',
    (path) => {
      const { time, storage, unsavedText } = openSavedText();
      time.now = SAVED_AT + HALF_HOUR_MS;
      unsavedText.restore(path, pageWithoutField);
      expect([unsavedText.isSaved('/fr'), unsavedText.isSaved('/')]).toEqual([true, false]);
      time.now += 1;
      unsavedText.restore(path, pageWithoutField);
      expect(storage.read('unsaved-text')).toBeUndefined();
    },
  );

  it.each(forThisSite([null, 'text', 1, {}, { path: '/fr' }]))(
    'is not restored from a damaged entry: %j',
    (entry) => {
      const { storage, unsavedText } = openSavedText();
      storage.write('unsaved-text', entry);
      expect(unsavedText.isSaved('/fr')).toBe(false);
      expect(() => unsavedText.restore('/fr', pageWithoutField)).not.toThrow();
    },
  );
});
